package enrich

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/parse"
	"kaoju/internal/prompt"
	"kaoju/internal/text"
)

// longestPage is the most text that is read from one picture, in characters.
const longestPage = 20_000

// pictureTokens are enough for a page of small print.
const pictureTokens = 4096

// recognised marks a document whose own text is that of its pictures.
const recognised = "recognised"

// seen is what a model sees in a picture.
type seen struct {
	caption string
	text    string
}

// pictures describes the pictures of a document and reads what stands in them.
func (s *subject) pictures(ctx context.Context) (found, error) {
	if _, ok := s.done[recognised]; ok || s.e.Pictures == nil {
		return found{}, nil
	}
	list, err := s.e.picturesOf(ctx, s.d)
	if err != nil || len(list) == 0 {
		return found{}, err
	}
	said, err := s.look(ctx, list)
	if err != nil {
		return found{}, err
	}
	var out found
	at := s.last()
	for i, p := range list {
		saw := said[i]
		for _, c := range []core.Chunk{{Type: core.ChunkImageCaption, Content: saw.caption}, {Type: core.ChunkImageOCR, Content: saw.text}} {
			if c.Content == "" {
				continue
			}
			at++
			c.Index, c.Page = at, p.Page
			out.add = append(out.add, c)
		}
	}
	out.count = len(out.add)
	return out, nil
}

// picturesOf takes the pictures out of a document's original.
func (e *Enricher) picturesOf(ctx context.Context, d core.Document) ([]parse.Picture, error) {
	blob, err := e.Store.OpenBlob(ctx, d.ContentHash)
	if err != nil {
		return nil, err
	}
	defer blob.Close() //nolint:errcheck // reading only
	data := make([]byte, d.Size)
	if n, err := blob.ReadAt(data, 0); err != nil && int64(n) < d.Size {
		return nil, core.Wrap(err, core.CodeInternal, "the original cannot be read from the disk")
	}
	return e.Pictures.Pictures(ctx, parse.Input{Name: d.Name, Data: data})
}

// look asks the vision model about each picture, once.
func (s *subject) look(ctx context.Context, list []parse.Picture) ([]seen, error) {
	out := make([]seen, len(list))
	err := each(ctx, len(list), func(ctx context.Context, i int) error {
		sum := sha256.Sum256(list[i].Data)
		part := hex.EncodeToString(sum[:])
		said, ok := s.done[part]
		if !ok {
			var err error
			if said, err = s.e.see(ctx, s.d, list[i]); err != nil {
				return err
			}
			if err := s.keep(ctx, part, said); err != nil {
				return err
			}
		}
		out[i] = pictureReply(said)
		return nil
	})
	return out, err
}

func (e *Enricher) see(ctx context.Context, d core.Document, p parse.Picture) (string, error) {
	vision := e.vision()
	if vision == nil {
		return "", core.Errorf(core.CodeConflict, "no vision model is set (vision_model)")
	}
	picture, err := llm.NewImage(p.Data)
	if err != nil {
		return "{}", nil //nolint:nilerr // a picture that cannot be sent says nothing
	}
	system, user := e.Prompts.Get(prompt.GroupSummary, "picture").Render(text.DetectLanguage(d.Title+d.Name), prompt.Values{DocName: or(d.Title, d.Name), Content: pageOf(p)})
	return vision.See(ctx, llm.Look{System: system, Question: user, Images: []llm.Image{picture}, MaxTokens: pictureTokens})
}

func pageOf(p parse.Picture) string {
	if p.Page == 0 {
		return "-"
	}
	return fmt.Sprint(p.Page)
}

// pictureReply reads what a model said about a picture: as JSON, or in plain
// words, which are then the caption.
func pictureReply(said string) seen {
	o := object(said)
	if o == nil {
		return seen{caption: text.Truncate(unfenced(said), longestText)}
	}
	saw := seen{
		caption: text.Truncate(member(o, "caption", "description", "image_description"), longestText),
		text:    text.Truncate(member(o, "text", "ocr_text", "ocr", "image_text"), longestPage),
	}
	return saw
}

// Recognise reads a document that has no text of its own: a picture, or a PDF
// of scanned pages. Without a vision model, or in a base that has pictures
// switched off, ok is false. What was read of a page is kept, so that a process
// that was killed goes on behind it.
func (e *Enricher) Recognise(ctx context.Context, d core.Document) (doc parse.Document, ok bool, err error) {
	own, err := e.Store.Enrichment(ctx, d.BaseID)
	if err != nil || e.vision() == nil || e.Pictures == nil || !own.Wants(core.EnrichPictures) {
		return doc, false, err
	}
	list, err := e.picturesOf(ctx, d)
	if err != nil || len(list) == 0 {
		return doc, false, err
	}
	counted, meter := llm.WithMeter(llm.WithBase(ctx, d.BaseID))
	defer func() { e.Spent(counted, meter.Sum()) }()
	s := &subject{e: e, d: d, row: &core.Enriched{Step: core.EnrichPictures}}
	if s.done, err = e.Store.EnrichmentParts(ctx, d.ID, core.EnrichPictures); err != nil {
		return doc, false, err
	}
	said, err := s.look(counted, list)
	if err != nil {
		return doc, true, err
	}
	doc.Format = "image"
	if list[0].Page > 0 {
		doc.Format = parse.FormatPDF
	}
	for i, p := range list {
		doc.Blocks = append(doc.Blocks, said[i].blocks(p)...)
	}
	if len(doc.Blocks) == 0 {
		return doc, true, core.Errorf(core.CodeEmpty, "the vision model found nothing to read in the pictures")
	}
	doc.Warnings = []string{fmt.Sprintf("a model read the text from %d pictures; compare what matters with the original", len(list))}
	return doc, true, s.keep(ctx, recognised, "1")
}

// blocks are what a picture says as parts of a document: its text, and where it
// is no page also what it shows.
func (s seen) blocks(p parse.Picture) []parse.Block {
	words := s.text
	if p.Page == 0 || words == "" {
		words = strings.TrimSpace(s.caption + "\n\n" + words)
	}
	var out []parse.Block
	for paragraph := range strings.SplitSeq(words, "\n\n") {
		if paragraph = strings.TrimSpace(parse.CleanText(paragraph)); paragraph != "" {
			out = append(out, parse.Block{Kind: parse.Paragraph, Text: paragraph, Page: p.Page})
		}
	}
	return out
}
