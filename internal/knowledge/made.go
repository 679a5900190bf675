package knowledge

import (
	"kaoju/internal/core"
	"kaoju/internal/store"
)

// refuseMade refuses, for documents that are FAQ entries or pages of a wiki,
// what only files can have done to them, and says where they are changed.
func refuseMade(d core.Document) error {
	switch d.Format { // what was read from a file has the format of that file
	case store.SourceFAQ:
		return core.Errorf(core.CodeConflict, "this is an FAQ entry; change it at /api/v1/knowledge-bases/%s/faq/entries/%s", d.BaseID, d.ID)
	case store.SourceWiki:
		return core.Errorf(core.CodeConflict, "this is a page of a wiki; change it at /api/v1/knowledge-bases/%s/wiki/pages/%s", d.BaseID, d.ID)
	}
	return nil
}
