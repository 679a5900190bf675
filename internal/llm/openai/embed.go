package openai

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync/atomic"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// Embedder is an embedding model behind an endpoint.
type Embedder struct {
	c       *client
	affixes Affixes
	dim     atomic.Int64
	fitter  fitter
}

var _ llm.Embedder = (*Embedder)(nil)

// NewEmbedder gives an embedding model. Nothing is called yet: without
// Dimensions in the options, Dim is 0 until a call, or Check, taught it.
func NewEmbedder(o Options, e Env) (*Embedder, error) {
	c, err := newClient(o, e, llm.KindEmbed, "/embeddings")
	if err != nil {
		return nil, err
	}
	m := &Embedder{c: c, affixes: AffixesOf(o.Model)}
	if o.Embed.Affixes != nil {
		m.affixes = *o.Embed.Affixes
	}
	m.dim.Store(int64(o.Embed.Dimensions))
	m.fitter.runes.Store(int64(c.Embed.MaxRunes))
	return m, nil
}

// Dim is the length of the vectors; 0 while it is not known.
func (m *Embedder) Dim() int { return int(m.dim.Load()) }

// Similarity says how vectors compare: cosine, l2 or dot.
func (m *Embedder) Similarity() string { return m.c.Embed.Similarity }

// Model names the vector space.
func (m *Embedder) Model() string { return SpaceOf(m.c.Options) }

// SpaceOf names the vector space of a model: the model, and the length of the
// vectors where the options have it.
func SpaceOf(o Options) string {
	if o.Embed.Dimensions > 0 {
		return fmt.Sprintf("%s@%d", o.Model, o.Embed.Dimensions)
	}
	return o.Model
}

// Embed gives one vector a text, in order, with as many calls as the batch size
// takes. Vectors have unit length unless the similarity is dot. A text past the
// limit is cut, also where the endpoint tells the limit only by refusing; a
// vector of an unexpected length is an error.
func (m *Embedder) Embed(ctx context.Context, purpose llm.Purpose, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(len(texts), m.c.Embed.Batch)
		vectors, err := fit(&m.fitter, texts[:n], func(short []string) ([][]float32, error) {
			return m.batch(ctx, m.dress(purpose, short))
		})
		if err != nil {
			return nil, err
		}
		out, texts = append(out, vectors...), texts[n:]
	}
	return out, nil
}

// dress puts the affixes around the texts. Endpoints refuse empty
// texts, and one of them would sink its whole batch.
func (m *Embedder) dress(purpose llm.Purpose, texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		if strings.TrimSpace(t) == "" {
			t = "-"
		}
		if purpose == llm.ForQuery {
			out[i] = m.affixes.query(t)
		} else {
			out[i] = m.affixes.passage(t)
		}
	}
	return out
}

type wireEmbedRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Encoding   string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type wireEmbeddings struct {
	Data []struct {
		Index     *int            `json:"index"`
		Embedding json.RawMessage `json:"embedding"`
	} `json:"data"`
	Usage json.RawMessage `json:"usage"`
}

func (m *Embedder) batch(ctx context.Context, texts []string) ([][]float32, error) {
	request := wireEmbedRequest{Model: m.c.Model, Input: texts, Encoding: m.c.Embed.Encoding}
	if m.c.Embed.SendDimensions {
		request.Dimensions = m.c.Embed.Dimensions
	}
	body, err := m.c.body(request, nil)
	if err != nil {
		return nil, err
	}
	var vectors [][]float32
	err = m.c.run(ctx, func(ctx context.Context, _ *attempt) error {
		var answer wireEmbeddings
		if err := m.c.exchange(ctx, http.MethodPost, m.c.url, body, &answer); err != nil {
			return err
		}
		m.c.account(ctx, answer.Usage, texts...)
		vectors, err = m.vectors(answer, len(texts))
		return err
	})
	return vectors, err
}

// vectors puts an answer in the order of the texts.
func (m *Embedder) vectors(answer wireEmbeddings, n int) ([][]float32, error) {
	out := make([][]float32, n)
	for i, d := range answer.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || out[at] != nil {
			return nil, m.c.senseless("answer %d has the index %d of %d texts", i, at, n)
		}
		v, err := vectorOf(d.Embedding)
		if err != nil {
			return nil, m.c.senseless("vector %d: %w", i, err)
		}
		if err := m.fit(v); err != nil {
			return nil, err
		}
		out[at] = v
	}
	if len(answer.Data) != n {
		return nil, m.c.senseless("%d vectors for %d texts", len(answer.Data), n)
	}
	return out, nil
}

// fit checks a vector and brings it to unit length. The first one settles the
// length of all where the options do not.
func (m *Embedder) fit(v []float32) error {
	if len(v) == 0 {
		return m.c.senseless("an empty vector")
	}
	m.dim.CompareAndSwap(0, int64(len(v)))
	if want := m.Dim(); len(v) != want {
		return core.Errorf(core.CodeInvalid,
			"the embedding model %s gives vectors of %d values where %d are expected; set its dimensions to %d and index the documents again",
			m.c.Model, len(v), want, len(v))
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return m.c.senseless("a vector with values that are no numbers")
	}
	if m.c.Embed.Similarity == "dot" || sum == 0 {
		return nil
	}
	scale := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * scale)
	}
	return nil
}

// vectorOf reads a vector: a list of numbers, or base64 of little-endian
// floats.
func vectorOf(m json.RawMessage) ([]float32, error) {
	if len(m) == 0 || m[0] != '"' {
		var v []float32
		err := json.Unmarshal(m, &v)
		return v, err
	}
	data, err := base64.StdEncoding.DecodeString(word(m))
	if err != nil {
		return nil, err
	}
	if len(data)%4 != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of values", len(data))
	}
	v := make([]float32, len(data)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[i*4:]))
	}
	return v, nil
}

// senseless is for an answer that is well-formed and cannot be right; another
// attempt would give the same.
func (c *client) senseless(format string, args ...any) *failure {
	f := c.broken(fmt.Errorf(format, args...), "gave an answer that is not understood")
	f.again = false
	return f
}

// account reports the cost of a call that is no chat.
func (c *client) account(ctx context.Context, m json.RawMessage, texts ...string) {
	u := usageOf(m)
	if u == (llm.Usage{}) {
		var n runes
		for _, t := range texts {
			n.add(t)
		}
		u = llm.Usage{Input: n.tokens(), Estimated: true}
	}
	u.Kind, u.Model = c.kind, c.Model
	c.OnUsage(ctx, u)
}
