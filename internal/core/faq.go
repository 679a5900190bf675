package core

import "time"

// FAQ is an entry of an FAQ base with what its editors know of it. The entry
// is a document of its base: its id is a document id, and deleting, tagging
// and placing a document apply to it.
type FAQ struct {
	ID       string `json:"id"`
	BaseID   string `json:"knowledge_base_id"`
	FolderID string `json:"folder_id,omitempty"`
	FAQEntry
	Tags      []string  `json:"tags"` // names, sorted
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Questions are the questions that lead to the entry: the standard one, then
// the similar ones.
func (e FAQEntry) Questions() []string {
	return append([]string{e.Question}, e.Similar...)
}
