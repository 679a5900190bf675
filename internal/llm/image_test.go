package llm_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

func pngBytes(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// giant is a PNG of a few bytes that says it has 100,000 by 100,000 pixels.
func giant(t testing.TB) []byte {
	b := pngBytes(t, 1, 1)
	binary.BigEndian.PutUint32(b[16:], 100_000)
	binary.BigEndian.PutUint32(b[20:], 100_000)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func TestImages(t *testing.T) {
	good := pngBytes(t, 3, 2)
	data := "data:image/png;base64," + base64.StdEncoding.EncodeToString(good)
	for _, tt := range []struct {
		name string
		url  string
		code core.Code
	}{
		{"a picture", data, ""},
		{"called otherwise", strings.Replace(data, "image/png", "text/html", 1), ""},
		{"page", "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("<html><script>")), core.CodeUnsupportedFormat},
		{"drawing that holds scripts", "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)), core.CodeUnsupportedFormat},
		{"cut off", "data:image/png;base64," + base64.StdEncoding.EncodeToString(good[:20]), core.CodeCorrupt},
		{"a bomb", "data:image/png;base64," + base64.StdEncoding.EncodeToString(giant(t)), core.CodeTooLarge},
		{"too large", "data:image/png;base64," + strings.Repeat("A", (llm.MaxImageBytes+100)*4/3), core.CodeTooLarge},
		{"not base64", "data:image/png;base64,????", core.CodeInvalid},
		{"no bytes", "data:image/png;base64,", core.CodeEmpty},
		{"an address", "https://pictures.example/a.png", core.CodeInvalid},
		{"a file", "file:///etc/passwd", core.CodeInvalid},
	} {
		i, err := llm.ParseDataURL(tt.url)
		if core.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
		}
		if err == nil && (i.Type != "image/png" || i.Address() != data) {
			t.Errorf("%s became %s", tt.name, i.Address())
		}
	}
}

func TestImageAt(t *testing.T) {
	for address, good := range map[string]bool{
		"https://pictures.example/a.png": true, "http://127.0.0.1/a": true, "file:///etc/passwd": false, "//a/b": false,
		"https://me:secret@pictures.example/": false, "": false, "https://" + strings.Repeat("a", 3000): false,
	} {
		i, err := llm.ImageAt(address)
		if (err == nil) != good || good && i.Address() != address {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func FuzzParseDataURL(f *testing.F) {
	f.Add("data:image/png;base64," + base64.StdEncoding.EncodeToString(pngBytes(f, 1, 1)))
	f.Add("data:;base64,R0lGODdh")
	f.Fuzz(func(t *testing.T, s string) {
		i, err := llm.ParseDataURL(s)
		if err != nil {
			return
		}
		again, err := llm.ParseDataURL(i.Address())
		if err != nil || again.Type != i.Type || !bytes.Equal(again.Data, i.Data) {
			t.Errorf("%v, %s", err, again.Type)
		}
	})
}
