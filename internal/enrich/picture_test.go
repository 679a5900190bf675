package enrich

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// pngOf is a picture large enough to say something.
func pngOf(t testing.TB) []byte {
	t.Helper()
	dots := rand.New(rand.NewPCG(1, 2))
	img := image.NewGray(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		img.SetGray(i%64, i/64, color.Gray{Y: uint8(dots.IntN(256))})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
