package llm

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/gif"  // told apart and measured
	_ "image/jpeg" // told apart and measured
	_ "image/png"  // told apart and measured
	"net/http"
	"net/url"
	"strings"

	"kaoju/internal/core"
)

// Bounds of a picture that is sent to a model. Endpoints refuse what is larger,
// and a small file may unfold to any number of pixels.
const (
	MaxImageBytes  = 10 << 20
	maxImagePixels = 64 << 20
	maxImageSide   = 16_384
	maxImageURL    = 2048
)

// Image is a picture in a message: its bytes, or an address that the endpoint
// itself asks. We never fetch an address. Make it with NewImage, ParseDataURL
// or ImageAt, which check it.
type Image struct {
	Data []byte // nil where URL says where it lies
	Type string // media type of Data, as its first bytes tell it
	URL  string // http or https
}

// NewImage takes the bytes of a PNG, JPEG, GIF or WebP picture of at most 10
// MiB and 64 million pixels. What a name or a caller calls them does not count.
// The bytes are kept and not copied.
func NewImage(data []byte) (Image, error) {
	if len(data) == 0 {
		return Image{}, core.Errorf(core.CodeEmpty, "the picture is empty")
	}
	if len(data) > MaxImageBytes {
		return Image{}, core.Errorf(core.CodeTooLarge, "the picture has more than %d MiB; make it smaller", MaxImageBytes>>20)
	}
	kind := http.DetectContentType(data)
	switch kind {
	case "image/webp": // its size is the endpoint's to look at
		return Image{Data: data, Type: kind}, nil
	case "image/png", "image/jpeg", "image/gif":
	default:
		return Image{}, core.Errorf(core.CodeUnsupportedFormat, "this is no picture that models read; send PNG, JPEG, GIF or WebP")
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width <= 0 || c.Height <= 0 {
		return Image{}, core.Errorf(core.CodeCorrupt, "the picture is damaged")
	}
	if c.Width > maxImageSide || c.Height > maxImageSide || c.Width*c.Height > maxImagePixels {
		return Image{}, core.Errorf(core.CodeTooLarge, "the picture has %d by %d pixels; make it smaller", c.Width, c.Height)
	}
	return Image{Data: data, Type: kind}, nil
}

// ParseDataURL takes a picture written as data:image/…;base64,….
func ParseDataURL(s string) (Image, error) {
	head, body, ok := strings.Cut(s, ",")
	if !ok || !strings.HasPrefix(strings.ToLower(head), "data:") || !strings.HasSuffix(strings.ToLower(head), ";base64") {
		return Image{}, core.Errorf(core.CodeInvalid, "a picture is written as data:image/png;base64, and its bytes in base64")
	}
	if base64.StdEncoding.DecodedLen(len(body)) > MaxImageBytes+3 {
		return Image{}, core.Errorf(core.CodeTooLarge, "the picture has more than %d MiB; make it smaller", MaxImageBytes>>20)
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return Image{}, core.Errorf(core.CodeInvalid, "the picture is not written in base64")
	}
	return NewImage(data)
}

// ImageAt names a picture by the address at which the endpoint finds it. The
// address must be the caller's own or the operator's: an endpoint inside a
// company reaches what others may not.
func ImageAt(address string) (Image, error) {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxImageURL || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return Image{}, core.Errorf(core.CodeInvalid, "the address of a picture begins with http:// or https://, without a password")
	}
	return Image{URL: address}, nil
}

// Address is the picture as a URL: where it lies, or the bytes themselves.
func (i Image) Address() string {
	if i.URL != "" {
		return i.URL
	}
	return "data:" + i.Type + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
}
