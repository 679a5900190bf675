package core

import "github.com/google/uuid"

// NewID makes an identifier: a version 7 UUID, so that ids sort by the time
// they were made and insert at the end of an index.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
