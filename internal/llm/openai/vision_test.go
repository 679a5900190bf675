package openai_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaoju/internal/llm"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/openai"
)

func picture(t *testing.T) llm.Image {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	i, err := llm.NewImage(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// What goes over the wire for pictures by data and by address is the golden
// transcript; a message without pictures stays a string, which is all that
// many endpoints know.
func TestPicturesOnTheWire(t *testing.T) {
	e := llmtest.Start(t, llmtest.Habit(t, "plain"))
	model, err := openai.NewVision(openai.Options{BaseURL: e.URL, Model: "m"}, openai.Env{HTTP: e.Client})
	if err != nil {
		t.Fatal(err)
	}
	far, err := llm.ImageAt("https://pictures.example/a.png?x=1&y=2")
	if err != nil {
		t.Fatal(err)
	}
	reply, err := model.See(t.Context(), llm.Look{
		System: "Say what you see.", Question: "图里是什么？", Images: []llm.Image{picture(t), far}, MaxTokens: 50, JSON: true,
	})
	if err != nil || reply == "" {
		t.Fatalf("reply %q, %v", reply, err)
	}
	got := e.Requests()[0].Body + "\n"
	golden := filepath.Join("testdata", "golden", "wire_pictures.json")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestVisionCheck(t *testing.T) {
	for habit, blind := range map[string]bool{"plain": false, "no_pictures_vllm": true, "no_pictures_deepseek": true, "no_pictures_llamacpp": true} {
		e := llmtest.Start(t, llmtest.Habit(t, habit))
		model, err := openai.NewVision(openai.Options{BaseURL: e.URL, Model: "m"}, openai.Env{HTTP: e.Client})
		if err != nil {
			t.Fatal(err)
		}
		err = model.Check(t.Context())
		if errors.Is(err, llm.ErrBlind) != blind || (err != nil) != blind {
			t.Errorf("%s: %v", habit, err)
		}
		if n := e.Calls(); n != 1 {
			t.Errorf("%s: %d calls; what is blind is not asked twice", habit, n)
		}
		if !strings.Contains(e.Requests()[0].Body, `"url":"data:image/png;base64,`) {
			t.Errorf("%s: no picture was sent", habit)
		}
	}
}

// Where the endpoint counts no tokens, a picture is not free.
func TestPicturesAreCounted(t *testing.T) {
	e := llmtest.Start(t, llmtest.Habit(t, "done_missing"))
	ctx, meter := llm.WithMeter(t.Context())
	model, err := openai.NewVision(openai.Options{BaseURL: e.URL, Model: "m"}, openai.Env{HTTP: e.Client, OnUsage: llm.Spend})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.See(ctx, llm.Look{Question: "?", Images: []llm.Image{picture(t)}}); err != nil {
		t.Fatal(err)
	}
	sum := meter.Sum()
	if len(sum) != 1 || sum[0].Kind != llm.KindVision || sum[0].Input < 1000 {
		t.Errorf("it cost %+v", sum)
	}
}
