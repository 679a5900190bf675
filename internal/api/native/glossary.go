package native

import (
	"bytes"
	"context"
	"encoding/json"
	"mime"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/parse/charset"
)

// Glossaries read and replace the glossaries of bases, by id or name.
type Glossaries interface {
	Get(ctx context.Context, scope core.Scope, base string) (core.Glossary, error)
	Set(ctx context.Context, scope core.Scope, base string, entries []core.GlossaryEntry) (core.Glossary, error)
}

// mediaCSV is the media type of a glossary's table.
const mediaCSV = "text/csv"

// GlossaryInput names a base and the form that is wanted.
type GlossaryInput struct {
	ByID
	Accept string `header:"Accept" doc:"text/csv for the table; anything else gives JSON"`
}

// GlossaryOutput is a glossary, as JSON or as a table.
type GlossaryOutput struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

// Glossary gives the glossary of a base.
func (h *Handlers) Glossary(ctx context.Context, in *GlossaryInput) (*GlossaryOutput, error) {
	g, err := h.Glossaries.Get(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return glossaryOutput(g, strings.Contains(in.Accept, mediaCSV))
}

// SetGlossaryInput is a glossary, as JSON or as a table in CSV.
type SetGlossaryInput struct {
	ByID
	ContentType string `header:"Content-Type" doc:"application/json or text/csv"`
	RawBody     []byte
}

// SetGlossary replaces the glossary of a base.
func (h *Handlers) SetGlossary(ctx context.Context, in *SetGlossaryInput) (*GlossaryOutput, error) {
	if _, err := h.Library.Base(ctx, scopeOf(ctx), in.ID); err != nil {
		return nil, err
	}
	media, _, err := mime.ParseMediaType(in.ContentType)
	if err != nil {
		media = in.ContentType
	}
	var entries []core.GlossaryEntry
	switch media {
	case mediaCSV:
		entries, err = index.ReadGlossary(strings.NewReader(charset.Decode(in.RawBody, "").Text))
	case "", "application/json", "application/octet-stream":
		entries, err = glossaryJSON(in.RawBody)
	default:
		err = core.Errorf(core.CodeInvalid, "a glossary is application/json or text/csv, not %q", media)
	}
	if err != nil {
		return nil, err
	}
	g, err := h.Glossaries.Set(ctx, scopeOf(ctx), in.ID, entries)
	if err != nil {
		return nil, err
	}
	return glossaryOutput(g, false)
}

func glossaryJSON(body []byte) ([]core.GlossaryEntry, error) {
	var in struct {
		Entries *[]core.GlossaryEntry `json:"entries"`
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return nil, core.Errorf(core.CodeInvalid, "the glossary cannot be read as JSON: %v", err)
	}
	if in.Entries == nil {
		return nil, core.Errorf(core.CodeInvalid, "the glossary has no \"entries\"; an empty list removes it")
	}
	return *in.Entries, nil
}

func glossaryOutput(g core.Glossary, table bool) (*GlossaryOutput, error) {
	g.Entries = orEmpty(g.Entries)
	var b bytes.Buffer
	if table {
		err := index.WriteGlossary(&b, g.Entries)
		return &GlossaryOutput{ContentType: mediaCSV + "; charset=utf-8", Body: b.Bytes()}, err
	}
	err := json.NewEncoder(&b).Encode(g)
	return &GlossaryOutput{ContentType: "application/json", Body: b.Bytes()}, err
}
