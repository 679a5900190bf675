package core

import "time"

// Limits of a glossary.
const (
	MaxGlossaryEntries = 10_000
	MaxGlossaryForms   = 32  // ways to say an entry: its term, synonyms and translations
	MaxGlossaryForm    = 100 // characters of each
)

// Glossary is what the owner of a knowledge base knows about its words.
type Glossary struct {
	BaseID   string          `json:"knowledge_base_id"`
	Revision int64           `json:"revision"` // from 1, advanced by each change; 0 where there never was one
	Entries  []GlossaryEntry `json:"entries"`
	// Pending says that passages are still being indexed anew by it. Questions
	// follow it at once.
	Pending   bool      `json:"pending"`
	UpdatedAt time.Time `json:"updated_at"`
}

// GlossaryEntry is a name, product or abbreviation, and what it is called
// elsewhere. A question with one of its forms finds passages with any other.
type GlossaryEntry struct {
	Term         string   `json:"term"`
	Synonyms     []string `json:"synonyms,omitempty"`
	Translations []string `json:"translations,omitempty"`
	// Split lets term and synonyms be cut into their words as any text is.
	// Without it each is one word, of which parts count less.
	Split bool `json:"split,omitempty"`
}
