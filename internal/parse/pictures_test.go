package parse_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"testing"

	"kaoju/internal/parse"
)

// drawing is a picture that differs by its seed.
func drawing(t testing.TB, seed, side int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, side, side))
	for i := range side * side {
		img.SetGray(i%side, i/side, color.Gray{Y: uint8(i * i * seed >> 3)})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func archived(t testing.TB, files ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		part, err := w.Create(f[0])
		if err == nil {
			_, err = part.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type unread struct{}

func (unread) Read(context.Context, parse.Input, parse.Limits) (parse.Document, error) {
	return parse.Document{}, nil
}

func TestPictures(t *testing.T) {
	one, two, icon := string(drawing(t, 1, 64)), string(drawing(t, 2, 64)), string(drawing(t, 3, 16))
	inline := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(one))
	for _, tt := range []struct {
		name string
		data []byte
		want []parse.Picture
	}{
		{"a.png", []byte(one), []parse.Picture{{Data: []byte(one)}}},
		{"a.html", []byte("<html><body><p>x</p><img src=\"" + inline + "\"><img src='https://x.example/far.png'></body></html>"), []parse.Picture{{Data: []byte(one)}}},
		{"a.md", []byte("# x\n\n![](" + inline + ")\n"), []parse.Picture{{Data: []byte(one)}}},
		{"a.pptx", archived(t, [2]string{"ppt/presentation.xml", "<p/>"}, [2]string{"ppt/media/image10.png", two}, [2]string{"ppt/media/image9.png", one},
			[2]string{"ppt/media/image2.png", icon}, [2]string{"ppt/media/image11.png", one}, [2]string{"ppt/media/image12.png", "no picture at all, whatever it is called"},
			[2]string{"ppt/slides/_rels/slide4.xml.rels", `<Relationships><Relationship Id="r" Target="../media/image10.png"/></Relationships>`}),
			[]parse.Picture{{Data: []byte(one)}, {Data: []byte(two), Page: 4}}},
		{"a.txt", []byte("no picture"), nil},
	} {
		p := parse.New(map[string]parse.Reader{parse.FormatPPTX: unread{}})
		got, err := p.Pictures(t.Context(), parse.Input{Name: tt.name, Data: tt.data})
		if err != nil || len(got) != len(tt.want) {
			t.Errorf("%s: %d pictures, %v; want %d", tt.name, len(got), err, len(tt.want))
			continue
		}
		for i := range got {
			if !bytes.Equal(got[i].Data, tt.want[i].Data) || got[i].Page != tt.want[i].Page {
				t.Errorf("%s: picture %d is another, or on page %d", tt.name, i, got[i].Page)
			}
		}
	}
}

func FuzzPictures(f *testing.F) {
	f.Add(drawing(f, 1, 64))
	f.Add(archived(f, [2]string{"word/document.xml", "<w/>"}, [2]string{"word/media/image1.png", "x"}))
	f.Add([]byte("![](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4)"))
	p := parse.New(map[string]parse.Reader{parse.FormatDOCX: unread{}})
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := p.Pictures(t.Context(), parse.Input{Data: data})
		if err != nil && len(list) > 0 {
			t.Error("pictures and an error")
		}
	})
}
