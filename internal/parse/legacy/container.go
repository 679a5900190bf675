package legacy

import (
	"bytes"
	"errors"
	"io"

	"github.com/richardlehane/mscfb"

	"kaoju/internal/core"
)

// maxStreams bounds how many entries of a container are looked at.
const maxStreams = 10_000

// streams reads the streams of an OLE container that have one of the names.
// Streams in sub-folders (embedded files) are left alone. All streams together
// are never longer than the container: a chain of sectors that goes in circles
// ends there.
func streams(data []byte, names ...string) (map[string][]byte, error) {
	r, err := mscfb.New(bytes.NewReader(data))
	if err != nil {
		return nil, damaged(err)
	}
	out := map[string][]byte{}
	left := int64(len(data))
	for range maxStreams {
		entry, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, damaged(err)
		}
		if len(entry.Path) > 0 || !wanted(entry.Name, names) {
			continue
		}
		// A container that was cut off still holds the beginning.
		stream, err := io.ReadAll(io.LimitReader(entry, left))
		if err != nil && len(stream) == 0 {
			return nil, damaged(err)
		}
		left -= int64(len(stream))
		out[entry.Name] = stream
	}
	return out, nil
}

func wanted(name string, names []string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func damaged(err error) error {
	return core.Wrap(err, core.CodeCorrupt, "the file is damaged (a broken container of old Office); open it in Office and save it in a current format")
}

func locked() error {
	return core.Errorf(core.CodeEncrypted, "the file is protected by a password; save it without one and add it again")
}
