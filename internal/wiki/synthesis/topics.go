package synthesis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/prompt"
	"kaoju/internal/store"
	"kaoju/internal/text"
	"kaoju/internal/wiki"
)

// Limits of topics.
const (
	mostTopics   = 200 // of a job: those in most documents, then with most passages
	topicSources = 12  // passages that a page about a topic is written of
	mostLinked   = 80  // other pages that a model is told of
)

// subject is a topic as all documents name it.
type subject struct {
	Slug, Name string
	Type       core.WikiType
	Aliases    []string
	About      string
	Chunks     []chunk
	Documents  []string
}

// topics joins the topics of all documents that have a name in common, best
// first, and bounds them.
func (r *run) topics() []subject {
	byName := map[string]*subject{}
	var list []*subject
	for _, d := range r.reads {
		for _, t := range d.Topics {
			s := named(byName, t)
			if s == nil {
				s = &subject{Name: t.Name, Type: typeOf(t.Type), About: t.About}
				s.Slug = string(s.Type) + "/" + wiki.Slug(strings.ReplaceAll(t.Name, "/", "-"))
				list = append(list, s)
			}
			s.add(d.ID, t)
			for _, name := range append([]string{t.Name}, t.Aliases...) {
				if key := text.Key(name); key != "" && byName[key] == nil {
					byName[key] = s
				}
			}
		}
	}
	list = slices.DeleteFunc(list, func(s *subject) bool { return strings.HasSuffix(s.Slug, "/") })
	slices.SortStableFunc(list, func(a, b *subject) int {
		return cmp.Or(cmp.Compare(len(b.Documents), len(a.Documents)), cmp.Compare(len(b.Chunks), len(a.Chunks)))
	})
	out := make([]subject, min(len(list), mostTopics))
	for i := range out {
		out[i] = *list[i]
	}
	return distinct(out)
}

// distinct drops what has the slug of another.
func distinct(list []subject) []subject {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s subject) bool {
		twice := seen[s.Slug]
		seen[s.Slug] = true
		return twice
	})
}

func named(byName map[string]*subject, t topic) *subject {
	for _, name := range append([]string{t.Name}, t.Aliases...) {
		if s := byName[text.Key(name)]; s != nil && text.Key(name) != "" {
			return s
		}
	}
	return nil
}

func typeOf(name string) core.WikiType {
	if strings.EqualFold(strings.TrimSpace(name), string(core.WikiTypeEntity)) {
		return core.WikiTypeEntity
	}
	return core.WikiTypeConcept
}

func (s *subject) add(document string, t topic) {
	for _, c := range t.Chunks {
		if !slices.Contains(s.Chunks, c) {
			s.Chunks = append(s.Chunks, c)
		}
	}
	for _, a := range append([]string{t.Name}, t.Aliases...) {
		if a != s.Name && !slices.Contains(s.Aliases, a) && len(s.Aliases) < maxNames {
			s.Aliases = append(s.Aliases, a)
		}
	}
	if !slices.Contains(s.Documents, document) {
		s.Documents = append(s.Documents, document)
	}
}

func itemsOf(topics []subject) []store.WikiItem {
	items := make([]store.WikiItem, len(topics))
	for i, t := range topics {
		items[i] = store.WikiItem{Step: core.WikiStepTopics, Position: i, Ref: t.Slug, Name: t.Name}
	}
	return items
}

// topicWriter gives what writes the page of a topic.
func (r *run) topicWriter(topics []subject) func(context.Context, *store.WikiItem) error {
	bySlug := map[string]subject{}
	for _, t := range topics {
		bySlug[t.Slug] = t
	}
	return func(ctx context.Context, i *store.WikiItem) error {
		t, ok := bySlug[i.Ref]
		if !ok {
			return core.Errorf(core.CodeNotFound, "no document names the topic any more")
		}
		page, err := r.topicPage(ctx, t, topics)
		if err != nil {
			return err
		}
		i.Did, err = r.w.deps.Pages.Offer(ctx, r.base, page, r.note())
		return err
	}
}

func (r *run) note() string { return "written of documents" }

func (r *run) topicPage(ctx context.Context, t subject, topics []subject) (core.WikiPage, error) {
	chunks, err := r.passages(ctx, t.Chunks[:min(len(t.Chunks), topicSources)])
	if err != nil {
		return core.WikiPage{}, err
	}
	var others strings.Builder
	known := map[string]bool{}
	for _, o := range topics[:min(len(topics), mostLinked)] {
		if o.Slug != t.Slug {
			known[o.Slug] = true
			fmt.Fprintf(&others, "%s %s\n", o.Slug, o.Name)
		}
	}
	system, user := r.w.deps.Prompts.Get(prompt.GroupWiki, "wiki_topic").Render(languageOf(chunks), prompt.Values{
		Query: t.Name, Context: others.String(), Contexts: prompt.Sources(evidence(chunks, "")),
	})
	page := core.WikiPage{Slug: t.Slug, Title: t.Name, Type: t.Type, Status: core.WikiPublished, Aliases: t.Aliases, UserID: r.job.UserID}
	err = r.w.ask(ctx, system, user, func(words string) error {
		var said written
		if err := object(words, &said); err != nil {
			return err
		}
		page.Content, page.Sources = sourced(said.Content, chunks)
		page.Content = wiki.OnlyLinks(page.Content, func(slug string) bool { return known[slug] })
		if page.Summary = line(wiki.Plain(said.Summary), maxText); page.Summary == "" {
			page.Summary = t.About
		}
		if len(page.Sources) == 0 {
			return errUseless
		}
		return nil
	})
	return page, err
}

// passages reads the passages that are still there.
func (r *run) passages(ctx context.Context, list []chunk) ([]core.Chunk, error) {
	ids := make([]string, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	chunks, err := r.w.deps.Store.ChunksByID(ctx, ids)
	if err == nil && len(chunks) == 0 {
		err = core.Errorf(core.CodeNotFound, "the passages about the topic are not there any more")
	}
	return chunks, err
}
