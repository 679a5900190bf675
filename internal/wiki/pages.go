package wiki

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/store"
	"kaoju/internal/text"
)

// Limits of a page, in characters but for the aliases.
const (
	MaxContent = 200_000
	maxTitle   = 200
	maxSummary = 2000
	maxAliases = 50
	maxNote    = 200
)

// Draft is a page to make. Without a slug it gets one of its title, without a
// title that of its first heading; zero fields mean a published page.
type Draft struct {
	Slug, Title string
	Type        core.WikiType
	Status      core.WikiStatus
	Summary     string
	Aliases     []string
	Content     string
	Note        string // about the revision
}

// Change is what to change of a page; nil fields stay.
type Change struct {
	Slug, Title *string
	Type        *core.WikiType
	Status      *core.WikiStatus
	Summary     *string
	Aliases     *[]string
	Content     *string
	Note        string // about the revision
}

// Create makes a page. A slug that is taken is a core.CodeConflict.
func (s *Service) Create(ctx context.Context, scope core.Scope, base string, d Draft) (core.WikiPage, error) {
	b, err := s.base(ctx, scope, base)
	if err != nil {
		return core.WikiPage{}, err
	}
	p := core.WikiPage{
		ID: core.NewID(), BaseID: b.ID, Slug: d.Slug, Title: d.Title, Type: d.Type, Status: d.Status, Summary: d.Summary,
		Aliases: d.Aliases, Content: d.Content, Author: core.WikiByPerson, UserID: scope.UserID,
	}
	if err := tidy(&p); err != nil {
		return core.WikiPage{}, err
	}
	if err := s.save(ctx, b, "add "+p.Slug, revision{page: p, note: d.Note}); err != nil {
		return core.WikiPage{}, err
	}
	return s.whole(ctx, scope, b.ID, p.ID)
}

// Page gives a page by its id or slug, with its sources. A name that is no
// slug finds the page with that title or alias.
func (s *Service) Page(ctx context.Context, scope core.Scope, at At) (core.WikiPage, error) {
	b, err := s.base(ctx, scope, at.Base)
	if err != nil {
		return core.WikiPage{}, err
	}
	return s.whole(ctx, scope, b.ID, at.Page)
}

func (s *Service) whole(ctx context.Context, scope core.Scope, baseID, page string) (core.WikiPage, error) {
	p, err := s.Store.WikiPage(ctx, baseID, page)
	if core.CodeOf(err) == core.CodeNotFound {
		named, other := s.Store.NamedWikiPages(ctx, baseID, Slug(page))
		if other != nil || len(named) == 0 {
			return p, err
		}
		p, err = s.Store.WikiPage(ctx, baseID, named[0].ID)
	}
	if err != nil {
		return p, err
	}
	p.Sources, err = s.Store.WikiSources(ctx, scope, p.ID, p.Revision)
	return p, err
}

// Filter asks for a part of a wiki's list; zero fields do not narrow. The words
// of Query must all occur in title, aliases, summary or text.
type Filter struct {
	Query  string
	Type   core.WikiType
	Status core.WikiStatus
	Prefix string // of the slug
	Offset int
	Limit  int // 0 means 50, at most 1,000
}

const (
	defaultList = 50
	maxList     = 1000
)

// Pages gives a page of the list of a wiki's pages, by slug and without their
// texts, and how many fit.
func (s *Service) Pages(ctx context.Context, scope core.Scope, base string, f Filter) ([]core.WikiPage, int, error) {
	b, err := s.base(ctx, scope, base)
	if err != nil {
		return nil, 0, err
	}
	where := store.WikiFilter{Type: f.Type, Status: f.Status, Prefix: f.Prefix}
	for _, w := range strings.Fields(f.Query) {
		if key := text.Key(w); key != "" {
			where.Keys = append(where.Keys, key)
		}
	}
	if f.Limit <= 0 {
		f.Limit = defaultList
	}
	return s.Store.WikiPages(ctx, b.ID, where, f.Offset, min(f.Limit, maxList))
}

// Change changes a page; followed is the revision that the change was made on.
// Another slug takes the links of other pages along.
func (s *Service) Change(ctx context.Context, scope core.Scope, at At, followed int, c Change) (core.WikiPage, error) {
	b, err := s.base(ctx, scope, at.Base)
	if err != nil {
		return core.WikiPage{}, err
	}
	p, err := s.following(ctx, scope, b, at.Page, followed)
	if err != nil {
		return p, err
	}
	was := p.Slug
	c.apply(&p)
	p.Author, p.UserID = core.WikiByPerson, scope.UserID
	if err := tidy(&p); err != nil {
		return p, err
	}
	if was != p.Slug {
		err = s.rename(ctx, b, p, was, c.Note)
	} else {
		err = s.save(ctx, b, "change "+p.Slug, revision{page: p, note: c.Note})
	}
	if err != nil {
		return p, err
	}
	return s.whole(ctx, scope, b.ID, p.ID)
}

// following gives the page to change, if the revision is its current one.
func (s *Service) following(ctx context.Context, scope core.Scope, b core.KnowledgeBase, page string, followed int) (core.WikiPage, error) {
	p, err := s.whole(ctx, scope, b.ID, page)
	if err == nil && p.Revision != followed {
		err = core.Errorf(core.CodeConflict, "the page %q is at revision %d and your change was made on %d; read it again and make your change anew", p.Slug, p.Revision, followed)
	}
	return p, err
}

func (c Change) apply(p *core.WikiPage) {
	set(&p.Slug, c.Slug)
	set(&p.Title, c.Title)
	set(&p.Type, c.Type)
	set(&p.Status, c.Status)
	set(&p.Summary, c.Summary)
	set(&p.Aliases, c.Aliases)
	set(&p.Content, c.Content)
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// Delete removes a page for good, from every version, with all its revisions.
// Links to it are broken then.
func (s *Service) Delete(ctx context.Context, scope core.Scope, at At) error {
	p, err := s.Page(ctx, scope, at)
	if err != nil {
		return err
	}
	return s.Remover.Delete(ctx, scope, p.ID)
}

// tidy trims what people type, fills in what follows from the rest, and refuses
// what cannot be a page.
func tidy(p *core.WikiPage) (err error) {
	p.Title, p.Summary = oneLine(p.Title), strings.TrimSpace(clean(p.Summary))
	p.Content = strings.TrimRightFunc(clean(p.Content), unicode.IsSpace)
	if p.Title == "" {
		p.Title = titleOf(p.Content, p.Slug)
	}
	if p.Slug, err = slugFor(p.Slug, p.Title); err != nil {
		return err
	}
	p.Type, p.Status = or(p.Type, core.WikiTypePage), or(p.Status, core.WikiPublished)
	p.Aliases = aliases(p.Aliases, p.Title)
	p.Sources = marked(p.Sources, p.Content)
	return check(*p)
}

// marked are the sources that the text still names.
func marked(sources []core.WikiSource, content string) []core.WikiSource {
	named := map[string]bool{}
	Marks(content, func(number string) string {
		named[number] = true
		return ""
	})
	return slices.DeleteFunc(slices.Clone(sources), func(w core.WikiSource) bool { return !named[strconv.Itoa(w.Number)] })
}

func check(p core.WikiPage) error {
	tooLong := func(what string, limit int) error {
		return core.Errorf(core.CodeTooLarge, "the %s of a page has at most %d characters", what, limit)
	}
	switch {
	case p.Title == "":
		return core.Errorf(core.CodeInvalid, "a page needs a title")
	case utf8.RuneCountInString(p.Title) > maxTitle:
		return tooLong("title", maxTitle)
	case utf8.RuneCountInString(p.Summary) > maxSummary:
		return tooLong("summary", maxSummary)
	case utf8.RuneCountInString(p.Content) > MaxContent:
		return tooLong("text", MaxContent)
	case len(p.Aliases) > maxAliases:
		return core.Errorf(core.CodeTooLarge, "a page has at most %d aliases", maxAliases)
	case !slices.Contains([]core.WikiType{core.WikiTypePage, core.WikiTypeSummary, core.WikiTypeEntity, core.WikiTypeConcept, core.WikiTypeIndex}, p.Type):
		return core.Errorf(core.CodeInvalid, "the type of a page is page, summary, entity, concept or index, not %q", p.Type)
	case !slices.Contains([]core.WikiStatus{core.WikiPublished, core.WikiDraft, core.WikiArchived}, p.Status):
		return core.Errorf(core.CodeInvalid, "the status of a page is published, draft or archived, not %q", p.Status)
	}
	return nil
}

// titleOf is the first heading of a text, else the last part of the slug.
func titleOf(content, slug string) string {
	for line := range strings.Lines(content) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "# "); ok {
			return text.Truncate(oneLine(Plain(rest)), maxTitle)
		}
	}
	return slug[strings.LastIndexByte(slug, '/')+1:]
}

// aliases drops names that say nothing, the same twice, or the title.
func aliases(list []string, title string) []string {
	kept, seen := []string{}, map[string]bool{"": true, Slug(title): true}
	for _, a := range list {
		if a = text.Truncate(oneLine(a), maxTitle); !seen[Slug(a)] {
			seen[Slug(a)] = true
			kept = append(kept, a)
		}
	}
	return kept
}

func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// clean takes out what a text cannot hold.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

func or[T ~string](v, otherwise T) T {
	if v == "" {
		return otherwise
	}
	return v
}
