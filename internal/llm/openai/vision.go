package openai

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// Vision is a chat model behind an endpoint that takes pictures.
type Vision struct {
	llm.Eyes
	c *client
}

var _ llm.Vision = (*Vision)(nil)

// NewVision gives a vision model. Nothing is called yet.
func NewVision(o Options, e Env) (*Vision, error) {
	c, err := newClient(o, e, llm.KindVision, "/chat/completions")
	if err != nil {
		return nil, err
	}
	return &Vision{llm.Eyes{Chat: &Chat{c}}, c}, nil
}

// Check shows the model a small picture and says what is wrong; nil if it takes
// it. What the model makes of it does not count.
func (v *Vision) Check(ctx context.Context) error {
	picture, err := sample()
	if err != nil {
		return err
	}
	reply, err := v.See(ctx, llm.Look{Question: "Which colour is this? One word.", Images: []llm.Image{picture}})
	if err == nil && reply == "" {
		err = core.Errorf(core.CodeUnavailable, "the vision model %s says nothing about a picture", v.c.Model)
	}
	return err
}

// sample is a red square; some endpoints refuse pictures of a few pixels.
func sample() (llm.Image, error) {
	const side = 64
	square := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		square.Set(i%side, i/side, color.RGBA{R: 200, A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, square); err != nil {
		return llm.Image{}, core.Wrap(err, core.CodeInternal, "a picture could not be made")
	}
	return llm.NewImage(b.Bytes())
}
