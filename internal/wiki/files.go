package wiki

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// front is what stands in a file's head, beside the text.
type front struct {
	Title   string          `yaml:"title,omitempty"`
	Type    core.WikiType   `yaml:"type,omitempty"`
	Status  core.WikiStatus `yaml:"status,omitempty"`
	Summary string          `yaml:"summary,omitempty"`
	Aliases []string        `yaml:"aliases,omitempty"`
}

// maxFront is the largest head of a file, in bytes.
const maxFront = 64 << 10

// File is a Markdown file that is, or becomes, a page. The name is the slug
// with ".md"; folders are the parts of the slug.
type File struct {
	Name    string
	Content string
}

// Draft reads a file, whose head (between lines of three dashes) may hold title,
// type, status, summary and aliases; other fields are ignored. Links between
// files, [text](other.md), become links between pages.
func (f File) Draft() (Draft, error) {
	name := strings.TrimSuffix(strings.Trim(strings.ReplaceAll(f.Name, `\`, "/"), "/"), path.Ext(f.Name))
	d := Draft{Slug: Slug(name), Content: strings.TrimPrefix(f.Content, "\ufeff")}
	if d.Slug == "" {
		return d, core.Errorf(core.CodeInvalid, "%q does not make a slug; name the file by letters or digits", text.Truncate(f.Name, 80))
	}
	head, rest, ok := cutFront(strings.ReplaceAll(d.Content, "\r\n", "\n"))
	if ok {
		var h front
		if err := yaml.Unmarshal([]byte(head), &h); err != nil {
			return d, core.Errorf(core.CodeInvalid, "the head of %s, between the lines of dashes, cannot be read: %v", text.Truncate(f.Name, 80), err)
		}
		d.Title, d.Type, d.Status, d.Summary, d.Aliases, d.Content = h.Title, h.Type, h.Status, h.Summary, h.Aliases, rest
	}
	d.Content = linkFiles(d.Content, path.Dir(name))
	return d, nil
}

// cutFront parts a text from its head.
func cutFront(content string) (head, rest string, ok bool) {
	after, ok := strings.CutPrefix(content, "---\n")
	if !ok {
		return "", content, false
	}
	head, rest, ok = strings.Cut("\n"+after, "\n---\n")
	if !ok || len(head) > maxFront {
		return "", content, false
	}
	return head, strings.TrimLeft(rest, "\n"), true
}

// linkFiles turns links to Markdown files, which are meant from a folder, into
// links to pages.
func linkFiles(content, folder string) string {
	return fileLink.ReplaceAllStringFunc(content, func(whole string) string {
		m := fileLink.FindStringSubmatch(whole)
		if strings.Contains(m[2], "://") || strings.ContainsAny(m[1], "[]|") {
			return whole
		}
		slug := Slug(path.Join(folder, m[2]))
		if strings.HasPrefix(m[2], "/") {
			slug = Slug(m[2])
		}
		if slug == "" {
			return whole
		}
		return "[[" + slug + "|" + m[1] + "]]"
	})
}

// FileOf writes a page as a file that Draft reads again.
func FileOf(p core.WikiPage) (File, error) {
	head, err := yaml.Marshal(front{Title: p.Title, Type: p.Type, Status: p.Status, Summary: p.Summary, Aliases: p.Aliases})
	if err != nil {
		return File{}, fmt.Errorf("write the head of %s: %w", p.Slug, err)
	}
	return File{Name: p.Slug + ".md", Content: "---\n" + string(head) + "---\n\n" + p.Content + "\n"}, nil
}

// PutFile makes a page of a file, or gives the page with its slug the file's
// text. It reports what it did: "added", "changed" or "unchanged". A page that
// is changed by somebody else meanwhile is a core.CodeConflict.
func (s *Service) PutFile(ctx context.Context, scope core.Scope, base string, f File, note string) (p core.WikiPage, did string, err error) {
	d, err := f.Draft()
	if err != nil {
		return p, "", err
	}
	b, err := s.base(ctx, scope, base)
	if err != nil {
		return p, "", err
	}
	d.Note = note
	there, err := s.Store.WikiPage(ctx, b.ID, d.Slug)
	if core.CodeOf(err) == core.CodeNotFound {
		p, err = s.Create(ctx, scope, b.ID, d)
		return p, "added", err
	}
	if err != nil {
		return p, "", err
	}
	will := there
	will.Title, will.Content = d.Title, d.Content
	will.Type, will.Status = or(d.Type, there.Type), or(d.Status, there.Status)
	if d.Summary != "" {
		will.Summary = d.Summary
	}
	if d.Aliases != nil {
		will.Aliases = d.Aliases
	}
	if err := tidy(&will); err != nil {
		return p, "", err
	}
	if same(there, will) {
		return there, "unchanged", nil
	}
	p, err = s.Change(ctx, scope, At{b.ID, there.ID}, there.Revision, Change{
		Title: &will.Title, Type: &will.Type, Status: &will.Status, Summary: &will.Summary, Aliases: &will.Aliases, Content: &will.Content, Note: note,
	})
	return p, "changed", err
}

// same reports whether two pages say the same.
func same(a, b core.WikiPage) bool {
	return a.Slug == b.Slug && a.Title == b.Title && a.Type == b.Type && a.Status == b.Status && a.Summary == b.Summary &&
		strings.Join(a.Aliases, "\n") == strings.Join(b.Aliases, "\n") && a.Content == b.Content
}

// Export writes all pages of a wiki as a ZIP of Markdown files.
func (s *Service) Export(ctx context.Context, scope core.Scope, base string, w io.Writer) error {
	b, err := s.base(ctx, scope, base)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(w)
	for offset := 0; ; offset += maxList {
		list, _, err := s.Pages(ctx, scope, b.ID, Filter{Offset: offset, Limit: maxList})
		if err != nil {
			return err
		}
		for _, p := range list {
			if err := s.exportOne(ctx, archive, p); err != nil {
				return err
			}
		}
		if len(list) < maxList {
			break
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

func (s *Service) exportOne(ctx context.Context, archive *zip.Writer, p core.WikiPage) error {
	p, err := s.Store.WikiPage(ctx, p.BaseID, p.ID)
	if core.CodeOf(err) == core.CodeNotFound {
		return nil // it was deleted meanwhile
	}
	if err != nil {
		return err
	}
	f, err := FileOf(p)
	if err != nil {
		return err
	}
	out, err := archive.Create(f.Name)
	if err == nil {
		_, err = io.Copy(out, bytes.NewReader([]byte(f.Content)))
	}
	if err != nil {
		return fmt.Errorf("write %s to the archive: %w", f.Name, err)
	}
	return nil
}
