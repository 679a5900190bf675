package parse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/parse/charset"
)

// jsonReader reads JSON, and files of JSON values one after the other (JSON
// lines), as text that people and a search can read: a table where objects
// are alike, else a line "path: value" for each value.
type jsonReader struct{}

// Read implements Reader. A file that turns out not to be JSON is read as
// plain text, with a warning.
func (jsonReader) Read(ctx context.Context, in Input, lim Limits) (Document, error) {
	text := CleanText(charset.Decode(in.Data, "").Text)
	values, bad, err := jsonValues(ctx, text, lim)
	var known *core.Error
	switch {
	case errors.As(err, &known), ctx.Err() != nil:
		return Document{}, errors.Join(err, ctx.Err())
	case err != nil:
		doc, err := ReadText(ctx, in.Data, "", lim)
		doc.Warnings = append(doc.Warnings, "the file is not valid JSON and was read as plain text")
		return doc, err
	}
	w := jsonWriter{out: newCollector(ctx, lim)}
	w.document(values)
	doc := Document{Title: jsonTitle(values), Blocks: w.out.blocks}
	if len(bad) > 0 {
		doc.Warnings = []string{"lines that are not valid JSON were left out: " + strings.Join(bad, ", ")}
	}
	return doc, w.out.err
}

// jsonNode is a value in a JSON text.
type jsonNode struct {
	key  string // of a member of an object
	kind byte   // '{' an object, '[' an array, 's' a scalar
	text string // of a scalar
	kids []jsonNode
}

// jsonTree reads JSON values into memory, within bounds. It keeps the order of
// members, and all members of one name.
type jsonTree struct {
	ctx   context.Context //nolint:containedctx // lives as long as one Read call
	dec   *json.Decoder
	lim   Limits
	count int
}

func newJSONTree(ctx context.Context, text string, lim Limits) *jsonTree {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	return &jsonTree{ctx: ctx, dec: dec, lim: lim}
}

// jsonValues reads all values of a text. Where the whole is broken but most
// lines hold one value each, it reads those and gives the numbers of the
// others.
func jsonValues(ctx context.Context, text string, lim Limits) (values []jsonNode, bad []string, err error) {
	values, err = newJSONTree(ctx, text, lim).all()
	var known *core.Error
	if err == nil || errors.As(err, &known) {
		return values, nil, err
	}
	values = nil
	const most = 20 // broken lines that are named
	broken, left := 0, lim.MaxBlocks
	number := 0
	for line := range strings.Lines(text) {
		number++
		if isBlank(line) {
			continue
		}
		tree := newJSONTree(ctx, line, lim)
		tree.lim.MaxBlocks = left
		got, lineErr := tree.all()
		if errors.As(lineErr, &known) {
			return nil, nil, lineErr
		}
		if lineErr != nil {
			if broken++; broken > len(values)/10+1 {
				return nil, nil, err
			}
			if len(bad) < most {
				bad = append(bad, fmt.Sprint(number))
			}
			continue
		}
		left -= tree.count
		values = append(values, got...)
	}
	if len(values) < 2 {
		return nil, nil, err
	}
	return values, bad, nil
}

// all reads values until the text ends.
func (t *jsonTree) all() ([]jsonNode, error) {
	var values []jsonNode
	for {
		n, err := t.value(0)
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		values = append(values, n)
	}
}

// value reads the next value. io.EOF means that there is none.
func (t *jsonTree) value(depth int) (jsonNode, error) {
	tok, err := t.token()
	if err != nil {
		return jsonNode{}, err
	}
	switch v := tok.(type) {
	case json.Delim:
		if depth >= t.lim.MaxDepth {
			return jsonNode{}, core.Errorf(core.CodeCorrupt, "the JSON is nested more than %d deep", t.lim.MaxDepth)
		}
		n := jsonNode{kind: byte(v)}
		return n, t.members(&n, depth)
	case string:
		return jsonNode{kind: 's', text: v}, nil
	case json.Number:
		return jsonNode{kind: 's', text: v.String()}, nil
	case bool:
		return jsonNode{kind: 's', text: fmt.Sprint(v)}, nil
	}
	return jsonNode{kind: 's', text: "null"}, nil
}

// members reads what is in an array or an object, through its end.
func (t *jsonTree) members(n *jsonNode, depth int) error {
	for t.dec.More() {
		key := ""
		if n.kind == '{' {
			tok, err := t.token()
			if err != nil {
				return inside(err)
			}
			key, _ = tok.(string)
		}
		kid, err := t.value(depth + 1)
		if err != nil {
			return inside(err)
		}
		kid.key = key
		n.kids = append(n.kids, kid)
	}
	_, err := t.token()
	return inside(err)
}

// inside makes the end of the text an error: something is still open.
func inside(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (t *jsonTree) token() (json.Token, error) {
	if t.count++; t.count > 4*t.lim.MaxBlocks {
		return nil, core.Errorf(core.CodeTooLarge, "the file holds more than %d values; split it into smaller files", 4*t.lim.MaxBlocks)
	}
	if t.count%1024 == 0 && t.ctx.Err() != nil {
		return nil, t.ctx.Err()
	}
	return t.dec.Token()
}

// looksLikeJSON reports whether a text begins as JSON, and ends as such where
// it is whole.
func looksLikeJSON(head string, whole bool) bool {
	head = strings.TrimSpace(head)
	if head == "" || head[0] != '{' && head[0] != '[' {
		return false
	}
	dec := json.NewDecoder(strings.NewReader(head))
	open := 0
	for {
		tok, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return !whole || open == 0 && !errors.Is(err, io.ErrUnexpectedEOF)
		case err != nil:
			return false
		case tok == json.Delim('{') || tok == json.Delim('['):
			open++
		case tok == json.Delim('}') || tok == json.Delim(']'):
			open--
		}
	}
}
