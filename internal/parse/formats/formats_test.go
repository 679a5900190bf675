package formats

import (
	"maps"
	"slices"
	"testing"
)

// What the server sends to a child process is what the child can read.
func TestNamesAreThoseOfTheReaders(t *testing.T) {
	readers, closeReaders := Open(t.TempDir())
	defer closeReaders() //nolint:errcheck // reading only
	if got, want := Names(), slices.Sorted(maps.Keys(readers)); !slices.Equal(got, want) {
		t.Errorf("Names gives %v, the readers are for %v", got, want)
	}
}
