package office

import (
	"bytes"
	"unicode/utf16"

	"kaoju/internal/core"
)

// isOLE reports whether data is an OLE compound file: what Office wrote
// before 2007, and the envelope of today's encrypted files.
func isOLE(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1})
}

// oleError says what an OLE file in place of a modern one means.
func oleError(data []byte, kind string) error {
	if bytes.Contains(data, wide("EncryptedPackage")) {
		return core.Errorf(core.CodeEncrypted, "the %s file is protected by a password; save it without one and add it again", kind)
	}
	return core.Errorf(core.CodeUnsupportedFormat,
		"this is a file of the old binary Office format under a new name; open it and save it as .%s", kind)
}

// wide gives s as the little-endian UTF-16 that OLE directories hold.
func wide(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}
