package pdf

import (
	"bytes"
	"image/jpeg"

	"github.com/klippa-app/go-pdfium/requests"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// A page as a picture: small print stays readable, and models make larger ones
// smaller anyway.
const (
	renderWidth   = 1600
	renderHeight  = 2200
	renderQuality = 80
)

// render gives the first pages without text as pictures. A page that cannot be
// drawn is left out.
func (d *document) render(most int) ([]parse.Picture, error) {
	var list []parse.Picture
	for _, number := range d.scanned {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		if len(list) == most {
			break
		}
		data, err := d.draw(number - 1)
		if err != nil {
			continue
		}
		list = append(list, parse.Picture{Data: data, Page: number})
	}
	if len(list) == 0 && len(d.scanned) > 0 {
		return nil, core.Errorf(core.CodeCorrupt, "the pages of the PDF cannot be drawn")
	}
	return list, nil
}

func (d *document) draw(index int) ([]byte, error) {
	drawn, err := d.pdf.RenderPageInPixels(&requests.RenderPageInPixels{
		Page:  requests.Page{ByIndex: &requests.PageByIndex{Document: d.ref, Index: index}},
		Width: renderWidth, Height: renderHeight,
	})
	if err != nil {
		return nil, err
	}
	defer drawn.Cleanup()
	var b bytes.Buffer
	err = jpeg.Encode(&b, drawn.Result.RenderedImage, &jpeg.Options{Quality: renderQuality})
	return b.Bytes(), err
}
