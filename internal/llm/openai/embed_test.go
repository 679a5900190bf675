package openai_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/openai"
)

// embedding is what the endpoint of these tests was asked.
type embedding struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format"`
	Dimensions     int      `json:"dimensions"`
}

func body[T any](t testing.TB, r llmtest.Request) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.Body), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func jsonScript(t testing.TB, body string) llmtest.Script {
	return parse(t, "header Content-Type: application/json\n---\n"+body+"\n")
}

func newEmbedder(t testing.TB, e *llmtest.Endpoint, o openai.Options, env openai.Env) *openai.Embedder {
	t.Helper()
	o.BaseURL, env.HTTP = e.URL, e.Client
	if o.Model == "" {
		o.Model = "m"
	}
	m, err := openai.NewEmbedder(o, env)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// backwards answers with [runes of the text, 0, 0, 1], the last text first.
func backwards(t testing.TB, encode func([]float32) string) llmtest.Option {
	return llmtest.Answer(func(r llmtest.Request) llmtest.Script {
		var data []string
		for i, text := range body[embedding](t, r).Input {
			v := encode([]float32{float32(utf8.RuneCountInString(text)), 0, 0, 1})
			data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, v))
		}
		slices.Reverse(data)
		return jsonScript(t, `{"object":"list","data":[`+strings.Join(data, ",")+`],"usage":{"prompt_tokens":5,"total_tokens":5}}`)
	})
}

func asList(v []float32) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func asBase64(v []float32) string {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return `"` + base64.StdEncoding.EncodeToString(b) + `"`
}

func TestEmbed(t *testing.T) {
	for name, encode := range map[string]func([]float32) string{"float": asList, "base64": asBase64} {
		t.Run(name, func(t *testing.T) {
			e := llmtest.Start(t, nil, backwards(t, encode))
			m := newEmbedder(t, e, openai.Options{Embed: openai.EmbedOptions{Batch: 2, Encoding: name, MaxRunes: 4}}, openai.Env{})
			if m.Dim() != 0 || m.Model() != "m" || m.Similarity() != "cosine" {
				t.Errorf("before: %d, %s, %s", m.Dim(), m.Model(), m.Similarity())
			}
			got, err := m.Embed(t.Context(), llm.ForPassage, []string{"a", "差旅报销须知", "", "abcd", "ab"})
			if err != nil {
				t.Fatal(err)
			}
			for i, runes := range []float64{1, 4, 1, 4, 2} {
				length := math.Sqrt(runes*runes + 1)
				if math.Abs(float64(got[i][0])-runes/length) > 1e-6 || math.Abs(float64(got[i][3])-1/length) > 1e-6 {
					t.Errorf("vector %d: %v", i, got[i])
				}
			}
			if r := body[embedding](t, e.Requests()[1]); m.Dim() != 4 || e.Calls() != 3 || r.EncodingFormat != name || r.Dimensions != 0 {
				t.Errorf("dim %d, calls %d, request %+v", m.Dim(), e.Calls(), r)
			}
		})
	}
}

func TestEmbedPurposes(t *testing.T) {
	e := llmtest.Start(t, nil, backwards(t, asList))
	m := newEmbedder(t, e, openai.Options{Model: "e5-small", Embed: openai.EmbedOptions{
		MaxRunes: 2, Dimensions: 4, SendDimensions: true, Similarity: "dot",
	}, Body: openai.Fields{"encoding_format": nil, "truncate": true}}, openai.Env{})
	v, err := m.Embed(t.Context(), llm.ForQuery, []string{"abc"})
	if err != nil || v[0][0] != 9 {
		t.Errorf("%v, %v: dot keeps the length", v, err)
	}
	if _, err := m.Embed(t.Context(), llm.ForPassage, []string{"abc"}); err != nil {
		t.Error(err)
	}
	want := []string{
		`{"dimensions":4,"input":["query: ab"],"model":"e5-small","truncate":true}`,
		`{"dimensions":4,"input":["passage: ab"],"model":"e5-small","truncate":true}`,
	}
	for i, r := range e.Requests() {
		if r.Body != want[i] || r.Path != "/v1/embeddings" {
			t.Errorf("request %s %s", r.Path, r.Body)
		}
	}
	if m.Model() != "e5-small@4" {
		t.Errorf("model %s", m.Model())
	}
}

// TestEmbedLengthChanges is A60 and A62: a vector of another length than was
// agreed is refused with words that help, never stored.
func TestEmbedLengthChanges(t *testing.T) {
	answer := func(n int) string {
		return `{"data":[{"index":0,"embedding":` + asList(make([]float32, n)) + `}]}`
	}
	e := llmtest.Start(t, parse(t, "---\n"+answer(384)+"\n===\n---\n"+answer(768)+"\n"))
	m := newEmbedder(t, e, openai.Options{}, openai.Env{})
	if _, err := m.Embed(t.Context(), llm.ForQuery, []string{"a"}); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*openai.Embedder{m, newEmbedder(t, e, openai.Options{Embed: openai.EmbedOptions{Dimensions: 2048}}, openai.Env{})} {
		_, err := m.Embed(t.Context(), llm.ForQuery, []string{"a"})
		if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(core.PublicMessage(err), "768") {
			t.Errorf("error %v", err)
		}
	}
}

func TestEmbedSenselessAnswers(t *testing.T) {
	for _, answer := range []string{
		`{"data":[]}`, `{"data":[{"index":0,"embedding":[1]}]}`, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`,
		`{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`, `{"data":[{"index":-1,"embedding":[1]},{"index":0,"embedding":[1]}]}`,
		`{"data":[{"embedding":[]},{"embedding":[]}]}`, `{"data":[{"embedding":"AAA="},{"embedding":[1]}]}`, `{"data":[{"embedding":"?"},{"embedding":[1]}]}`,
		`{"data":[{"embedding":null},{"embedding":[1]}]}`, `{"data":[{"embedding":["a"]},{"embedding":[1]}]}`,
		`{"data":[{"embedding":"AADAfw=="},{"embedding":[1]}]}`, `{"data":{}}`, `[]`, `nonsense`,
	} {
		e := llmtest.Start(t, jsonScript(t, answer))
		m := newEmbedder(t, e, openai.Options{Limit: openai.Limits{Attempts: 1}}, openai.Env{})
		v, err := m.Embed(t.Context(), llm.ForQuery, []string{"a", "b"})
		if core.CodeOf(err) != core.CodeUnavailable || v != nil {
			t.Errorf("%s: %v, %v", answer, v, err)
		}
	}
}

// tight refuses requests with a text of more runes than n, as an endpoint does
// that counts tokens.
func tight(t testing.TB, n int) llmtest.Option {
	return llmtest.Answer(func(r llmtest.Request) llmtest.Script {
		var data []string
		for i, text := range body[embedding](t, r).Input {
			if utf8.RuneCountInString(text) > n {
				return parse(t, "status 413\nheader Content-Type: application/json\n---\n{\"error\":\"Input validation error: `inputs` must have less than 512 tokens. Given: 700\",\"error_type\":\"Validation\"}\n")
			}
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,1]}`, i, utf8.RuneCountInString(text)))
		}
		return jsonScript(t, `{"data":[`+strings.Join(data, ",")+`]}`)
	})
}

// TestEmbedFindsTheLimit: one long text is shortened, the others stay whole,
// and the length is remembered.
func TestEmbedFindsTheLimit(t *testing.T) {
	e := llmtest.Start(t, nil, tight(t, 500))
	m := newEmbedder(t, e, openai.Options{Embed: openai.EmbedOptions{Similarity: "dot"}}, openai.Env{})
	texts := []string{"ab", strings.Repeat("字", 450), strings.Repeat("长", 1700), "abc"}
	for try := range 2 {
		v, err := m.Embed(t.Context(), llm.ForPassage, texts)
		if err != nil {
			t.Fatal(err)
		}
		if try == 0 && (v[0][0] != 2 || v[1][0] != 450 || v[2][0] != 425 || v[3][0] != 3) {
			t.Errorf("lengths %v", v)
		}
	}
	if before := e.Calls(); before != 8 {
		t.Errorf("%d calls; 7 to find the limit, then 1", before)
	}
	hopeless := newEmbedder(t, llmtest.Start(t, nil, tight(t, 0)), openai.Options{}, openai.Env{})
	var long *llm.ContextLengthError
	if _, err := hopeless.Embed(t.Context(), llm.ForPassage, texts); !errors.As(err, &long) || long.Limit != 512 || long.Given != 700 || core.CodeOf(err) != core.CodeTooLarge {
		t.Errorf("error %v", err)
	}
}

func TestEmbedRetriesAndCounts(t *testing.T) {
	e := llmtest.Start(t, parse(t, "status 500\n---\n"+"===\n---\n@raw \"{\\\"data\"\n@cut\n===\n---\n"+`{"data":[{"embedding":[1]}],"usage":{"total_tokens":9}}`+"\n"))
	meter := &meter{}
	m := newEmbedder(t, e, openai.Options{}, openai.Env{Clock: &stillClock{}, OnUsage: meter.add})
	if _, err := m.Embed(t.Context(), llm.ForQuery, []string{"a"}); err != nil || e.Calls() != 3 {
		t.Errorf("%v after %d calls", err, e.Calls())
	}
	if want := (llm.Usage{Kind: llm.KindEmbed, Model: "m", Input: 9}); len(meter.all) != 1 || meter.all[0] != want {
		t.Errorf("usage %+v", meter.all)
	}
}
