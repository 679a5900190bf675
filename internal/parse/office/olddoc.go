package office

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unicode"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// DOC reads Word documents of before 2007 by the program antiword, which has
// to be installed beside the server; without it each such document is refused
// with the advice to save it anew. It is safe for concurrent use.
type DOC struct {
	Tool string // the program; "" looks for antiword in PATH at each file
}

// OldWordTool gives the path of the program by which DOC reads; "" if it is
// not installed.
func OldWordTool() string {
	path, err := exec.LookPath("antiword")
	if err != nil {
		return ""
	}
	return path
}

// xmlPerText is how much longer the program's answer may be than the text in
// it.
const xmlPerText = 4

// Read reads a document's headings, paragraphs, lists and tables.
func (r DOC) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	lim = lim.WithDefaults()
	tool := r.Tool
	if tool == "" {
		tool = OldWordTool()
	}
	if tool == "" {
		return parse.Document{}, core.Errorf(core.CodeUnsupportedFormat,
			"this is an old Word document (.doc); save it as .docx (or have antiword installed on the server)")
	}
	answer, err := convert(ctx, tool, in.Data, int64(lim.MaxText)*xmlPerText)
	d := &docbook{walker: walker{reading: &reading{ctx: ctx, lim: lim, kind: "doc"}, dec: xml.NewDecoder(bytes.NewReader(answer))}}
	if err != nil {
		return parse.Document{}, d.explain(err)
	}
	d.dec.Strict = false
	var blocks []parse.Block
	if err := d.content(&blocks); err != nil {
		return parse.Document{}, d.explain(err)
	}
	if len(blocks) == 0 {
		return parse.Document{}, core.Errorf(core.CodeEmpty, "the document holds no text (pictures are not read)")
	}
	return parse.Document{Format: parse.FormatDOC, Title: d.heading(blocks), Blocks: blocks}, nil
}

// heading gives the title of the document. Antiword knows no encoding but
// Latin for the one in the properties.
func (d *docbook) heading(blocks []parse.Block) string {
	if parse.IsTitle(d.title) && !strings.ContainsFunc(d.title, func(r rune) bool { return r > unicode.MaxASCII }) {
		return d.title
	}
	if i := slices.IndexFunc(blocks, func(b parse.Block) bool { return b.Kind == parse.Heading }); i >= 0 {
		return blocks[i].Text
	}
	return ""
}

// convert runs the program, which writes the document as DocBook.
func convert(ctx context.Context, tool string, data []byte, limit int64) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, "-x", "db", "-") //nolint:gosec // found in PATH or configured
	cmd.Stdin = bytes.NewReader(data)
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stderr = &limitedBuffer{buf: &said, left: 4 << 10}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("preparing %s: %w", tool, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", tool, err)
	}
	answer, err := io.ReadAll(io.LimitReader(pipe, limit+1))
	if int64(len(answer)) > limit {
		cancel()
		_ = cmd.Wait()
		return nil, core.Errorf(core.CodeTooLarge, "the document holds too much text; split it into smaller files")
	}
	if waitErr := cmd.Wait(); err == nil {
		err = waitErr
	}
	if err != nil && strings.Contains(strings.ToLower(said.String()), "encrypted") {
		return nil, core.Wrap(err, core.CodeEncrypted, "the document is protected by a password; save it without one and add it again")
	}
	return answer, err
}

// limitedBuffer keeps the beginning of what is written to it.
type limitedBuffer struct {
	buf  *bytes.Buffer
	left int
}

// Write never fails: what is beyond the limit is forgotten.
func (l *limitedBuffer) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	l.buf.Write(p[:n])
	return len(p), nil
}

// docbook is a document being read from DocBook.
type docbook struct {
	walker
	title string
	level int // of the section that was opened last
}

// content reads what is in an element through its end, or the whole document.
func (d *docbook) content(out *[]parse.Block) error {
	var text strings.Builder
	flush := func() {
		if t := strings.Join(strings.Fields(strings.ReplaceAll(text.String(), "[pic]", " ")), " "); t != "" {
			*out = append(*out, parse.Block{Kind: parse.Paragraph, Text: t})
		}
		text.Reset()
	}
	for open := 0; ; {
		tok, err := d.next()
		if errors.Is(err, io.EOF) {
			flush()
			return nil
		}
		if err != nil {
			return err
		}
		switch t := tok.(type) {
		case xml.CharData:
			text.Write(t)
			err = d.charge(len(t), 0)
		case xml.StartElement:
			if isBlockElement(t.Name.Local) {
				flush()
			}
			var done bool
			if done, err = d.element(t, out); !done {
				open++
			}
		case xml.EndElement:
			if isBlockElement(t.Name.Local) || open == 0 {
				flush()
			}
			if open--; open < 0 {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
}

func isBlockElement(name string) bool {
	switch name {
	case "para", "title", "chapter", "informaltable", "table", "itemizedlist", "orderedlist", "bookinfo":
		return true
	}
	return strings.HasPrefix(name, "sect")
}

// element reads an element that is more than text, through its end.
func (d *docbook) element(el xml.StartElement, out *[]parse.Block) (done bool, err error) {
	switch name := el.Name.Local; name {
	case "bookinfo":
		return true, d.dec.Skip()
	case "para":
		return false, d.charge(0, 1)
	case "chapter":
		d.level = 1
	case "sect1", "sect2", "sect3", "sect4", "sect5":
		d.level = int(name[4]-'0') + 1
	case "title":
		text, err := d.chars()
		text = strings.Join(strings.Fields(text), " ")
		if d.level == 0 {
			d.title = text
		} else if text != "" {
			*out = append(*out, parse.Block{Kind: parse.Heading, Level: min(d.level, 6), Text: text})
		}
		return true, err
	case "informaltable", "table":
		return true, d.table(out)
	case "itemizedlist", "orderedlist":
		return true, d.list(out, name == "orderedlist")
	}
	return false, nil
}

func (d *docbook) list(out *[]parse.Block, ordered bool) error {
	var lines []string
	number := 0
	err := d.inside(func(el xml.StartElement) (bool, error) {
		if el.Name.Local != "listitem" {
			return false, nil
		}
		var blocks []parse.Block
		err := d.content(&blocks)
		marker := "- "
		if number++; ordered {
			marker = fmt.Sprintf("%d. ", number)
		}
		if text := flatten(blocks, "\n"); text != "" {
			lines = append(lines, marker+strings.ReplaceAll(text, "\n", "\n  "))
		}
		return true, err
	})
	if len(lines) > 0 {
		*out = append(*out, parse.Block{Kind: parse.List, Text: strings.Join(lines, "\n")})
	}
	return err
}

func (d *docbook) table(out *[]parse.Block) error {
	var rows []row
	err := d.inside(func(el xml.StartElement) (bool, error) {
		if el.Name.Local != "row" {
			return false, nil
		}
		var r row
		err := d.inside(func(el xml.StartElement) (bool, error) {
			if el.Name.Local != "entry" {
				return false, nil
			}
			var blocks []parse.Block
			err := d.content(&blocks)
			r.cells = append(r.cells, cell{text: flatten(blocks, "\n"), span: 1})
			return true, err
		})
		rows = append(rows, r)
		return true, err
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	grid, err := d.expand(rows)
	if err == nil && slices.ContainsFunc(grid, func(r []string) bool { return strings.Join(r, "") != "" }) {
		*out = append(*out, parse.NewTable(grid, headerRows(rows, grid), 1))
	}
	return err
}
