package embedded

import "kaoju/internal/core"

// StoredEntry is an entry as the store keeps it.
type StoredEntry struct {
	ChunkID, DocumentID, FolderID string
	TagIDs                        []string
	Type                          core.ChunkType
	Terms, Vector                 []byte
	Lives                         []core.Interval
}
