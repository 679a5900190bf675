package synthesis

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/store"
	"kaoju/internal/text"
	"kaoju/internal/wiki"
)

// mark is how a model names passages in a text: [p1], or several at once.
var mark = regexp.MustCompile(`\[\s*\^?[pP]?\d{1,4}(?:\s*[,，、;；]\s*\^?[pP]?\d{1,4})*\s*\]`)

// maxPage is the longest text that a model may write, in characters.
const maxPage = 20_000

// sourced turns the names of passages in a text into marks of sources, numbered
// as they come; names of passages that are not there are left out.
func sourced(content string, chunks []core.Chunk) (string, []core.WikiSource) {
	var sources []core.WikiSource
	content = text.Truncate(strings.TrimSpace(strings.ToValidUTF8(content, "")), maxPage)
	content = mark.ReplaceAllStringFunc(content, func(m string) string {
		var out strings.Builder
		for _, d := range digits.FindAllString(m, -1) {
			n, err := strconv.Atoi(d)
			if err != nil || n < 1 || n > len(chunks) {
				continue
			}
			c := chunks[n-1]
			fmt.Fprintf(&out, "[^%d]", numberOf(&sources, chunk{c.DocumentID, c.ID}))
		}
		return out.String()
	})
	return content, sources
}

// numberOf gives the number of a passage among the sources, and adds it.
func numberOf(sources *[]core.WikiSource, c chunk) int {
	at := slices.IndexFunc(*sources, func(s core.WikiSource) bool { return s.ChunkID == c.ID })
	if at < 0 {
		at = len(*sources)
		*sources = append(*sources, core.WikiSource{Number: at + 1, DocumentID: c.Document, ChunkID: c.ID})
	}
	return at + 1
}

// paged gives the topics that have a page, by slug.
func (r *run) paged(ctx context.Context) (map[string]string, error) {
	items, err := r.w.deps.Store.WikiItems(ctx, r.job.ID, core.WikiStepTopics)
	if err != nil {
		return nil, err
	}
	paged := map[string]string{}
	for _, i := range items {
		if i.State == core.JobDone {
			paged[i.Ref] = i.Name
		}
	}
	return paged, nil
}

// summarySlugs gives each document's page its slug; those of one title are
// numbered.
func (r *run) summarySlugs() map[string]string {
	slugs, taken := map[string]string{}, map[string]bool{}
	for _, d := range r.reads {
		stem := "summary/" + wiki.Slug(strings.ReplaceAll(d.Title, "/", "-"))
		if strings.HasSuffix(stem, "/") {
			stem += "document"
		}
		slug := stem
		for n := 2; taken[slug]; n++ {
			slug = fmt.Sprintf("%s-%d", stem, n)
		}
		taken[slug], slugs[d.ID] = true, slug
	}
	return slugs
}

func (r *run) summaries() []store.WikiItem {
	items := make([]store.WikiItem, len(r.reads))
	for i, d := range r.reads {
		items[i] = store.WikiItem{Step: core.WikiStepSummary, Position: i, Ref: d.ID, Name: d.Title}
	}
	return items
}

// summaryWriter gives what writes the page of a document, of what was said of
// it: no model is asked.
func (r *run) summaryWriter(paged map[string]string) func(context.Context, *store.WikiItem) error {
	topics, slugs := r.topics(), r.summarySlugs()
	return func(ctx context.Context, i *store.WikiItem) (err error) {
		at := slices.IndexFunc(r.reads, func(d document) bool { return d.ID == i.Ref })
		if at < 0 {
			return core.Errorf(core.CodeNotFound, "the document was not read")
		}
		d := r.reads[at]
		page := core.WikiPage{Slug: slugs[d.ID], Title: d.Title, Type: core.WikiTypeSummary, Status: core.WikiPublished, Summary: d.Summary, UserID: r.job.UserID}
		var b strings.Builder
		for _, p := range d.Points {
			b.WriteString("- " + strings.NewReplacer("[[", "[", "]]", "]").Replace(p.Text))
			for _, c := range p.Chunks {
				fmt.Fprintf(&b, "[^%d]", numberOf(&page.Sources, c))
			}
			b.WriteByte('\n')
		}
		var links []string
		for _, t := range topics {
			if paged[t.Slug] != "" && slices.Contains(t.Documents, d.ID) {
				links = append(links, link(t.Slug, t.Name))
			}
		}
		if len(links) > 0 {
			fmt.Fprintf(&b, "\n%s: %s\n", word(d.Summary, "Topics", "主题"), strings.Join(links, " · "))
		}
		page.Content = b.String()
		i.Did, err = r.w.deps.Pages.Offer(ctx, r.base, page, r.note())
		return err
	}
}

func link(slug, name string) string {
	return "[[" + slug + "|" + strings.NewReplacer("[", "(", "]", ")", "|", "/").Replace(name) + "]]"
}

// word picks a word in the language of a text.
func word(of, en, zh string) string {
	if text.DetectLanguage(of) == text.English {
		return en
	}
	return zh
}

// indexSlug is the slug of the page that lists the others.
const indexSlug = "index"

// indexWriter gives what writes the index, of all pages that models have
// written and people may have changed: no model is asked.
func (r *run) indexWriter() func(context.Context, *store.WikiItem) error {
	return func(ctx context.Context, i *store.WikiItem) error {
		pages, _, err := r.w.deps.Store.WikiPages(ctx, r.base.ID, store.WikiFilter{Status: core.WikiPublished}, 0, maxIndexed)
		if err != nil {
			return err
		}
		tongue := r.reads[0].Summary
		var b strings.Builder
		for _, part := range []struct {
			kind   core.WikiType
			en, zh string
		}{{core.WikiTypeConcept, "Concepts", "概念"}, {core.WikiTypeEntity, "Entities", "实体"}, {core.WikiTypeSummary, "Documents", "文档"}, {core.WikiTypePage, "Pages", "页面"}} {
			section(&b, word(tongue, part.en, part.zh), part.kind, pages)
		}
		i.Did, err = r.w.deps.Pages.Offer(ctx, r.base, core.WikiPage{
			Slug: indexSlug, Title: word(tongue, "Index", "索引"), Type: core.WikiTypeIndex, Status: core.WikiPublished, Content: b.String(), UserID: r.job.UserID,
		}, r.note())
		return err
	}
}

// maxIndexed is how many pages the index lists.
const maxIndexed = 1000

func section(b *strings.Builder, title string, kind core.WikiType, pages []core.WikiPage) {
	first := true
	for _, p := range pages {
		if p.Type != kind {
			continue
		}
		if first {
			fmt.Fprintf(b, "# %s\n\n", title)
			first = false
		}
		fmt.Fprintf(b, "- %s", link(p.Slug, p.Title))
		if p.Summary != "" {
			b.WriteString(": " + line(p.Summary, 120))
		}
		b.WriteByte('\n')
	}
	if !first {
		b.WriteByte('\n')
	}
}
