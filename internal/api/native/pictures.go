package native

import (
	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// Picture is a picture of a question.
type Picture struct {
	Data string `json:"data" doc:"data:image/png;base64,… of a PNG, JPEG, GIF or WebP picture; addresses are not followed"`
}

// maxPictures bounds the pictures of one question together, in bytes.
const maxPictures = 20 << 20

// picturesOf reads the pictures of a question.
func picturesOf(list []Picture) ([]llm.Image, error) {
	var out []llm.Image
	size := 0
	for _, p := range list {
		image, err := llm.ParseDataURL(p.Data)
		if err != nil {
			return nil, err
		}
		if size += len(image.Data); size > maxPictures {
			return nil, core.Errorf(core.CodeTooLarge, "the pictures have more than %d MiB together", maxPictures>>20)
		}
		out = append(out, image)
	}
	return out, nil
}
