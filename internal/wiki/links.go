package wiki

import (
	"regexp"
	"strings"

	"kaoju/internal/core"
)

// maxLinks is how many links of a page are followed.
const maxLinks = 1000

// token is a link or a mark of a source in a text, or code, which holds none.
// Fences are found by their lines before; what is between a link's brackets
// never goes over a line.
var token = regexp.MustCompile("`+[^`\n]+`+|" + `\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]|\[\^(\d{1,4})\]`)

var fence = regexp.MustCompile("^ {0,3}(```+|~~~+)")

// rewrite gives the text with what each link and each mark of a source
// becomes; nil leaves marks alone. Code stays as it is.
func rewrite(content string, link func(whole, target, label string) string, mark func(number string) string) string {
	var out strings.Builder
	open := ""
	for line := range strings.Lines(content) {
		if f := fence.FindStringSubmatch(line); f != nil {
			switch {
			case open == "":
				open = f[1]
			case strings.HasPrefix(f[1], open):
				open = ""
			}
			out.WriteString(line)
			continue
		}
		if open != "" || !strings.ContainsAny(line, "[`") {
			out.WriteString(line)
			continue
		}
		out.WriteString(rewriteLine(line, link, mark))
	}
	return out.String()
}

func rewriteLine(line string, link func(whole, target, label string) string, mark func(number string) string) string {
	var out strings.Builder
	at := 0
	group := func(m []int, n int) string {
		if m[2*n] < 0 {
			return ""
		}
		return line[m[2*n]:m[2*n+1]]
	}
	for _, m := range token.FindAllStringSubmatchIndex(line, -1) {
		out.WriteString(line[at:m[0]])
		at = m[1]
		whole, target, number := line[m[0]:m[1]], strings.TrimSpace(group(m, 1)), group(m, 3)
		switch {
		case target != "" && Slug(target) != "":
			out.WriteString(link(whole, target, strings.TrimSpace(group(m, 2))))
		case number != "" && mark != nil:
			out.WriteString(mark(number))
		default:
			out.WriteString(whole)
		}
	}
	out.WriteString(line[at:])
	return out.String()
}

// LinksIn gives the links of a page's text, in order, by slug and shown text.
func LinksIn(content string) []core.WikiLink {
	var links []core.WikiLink
	rewrite(content, func(whole, target, label string) string {
		if len(links) < maxLinks {
			links = append(links, core.WikiLink{Slug: Slug(target), Text: shown(target, label)})
		}
		return whole
	}, nil)
	return links
}

// shown is what a reader sees of a link.
func shown(target, label string) string {
	if label != "" {
		return label
	}
	return target
}

// Plain gives the text as it reads: links as their text, and without the marks
// of sources.
func Plain(content string) string {
	return rewrite(content,
		func(_, target, label string) string { return shown(target, label) },
		func(string) string { return "" })
}

// Relink gives the text with the links to one slug leading to another. What
// the reader sees stays.
func Relink(content, from, to string) string {
	return rewrite(content, func(whole, target, label string) string {
		if Slug(target) != from {
			return whole
		}
		if label == "" && target != from {
			label = target // it was written as a name
		}
		if label == "" {
			return "[[" + to + "]]"
		}
		return "[[" + to + "|" + label + "]]"
	}, nil)
}

// OnlyLinks gives the text with the links that known refuses as plain text.
func OnlyLinks(content string, known func(slug string) bool) string {
	return rewrite(content, func(whole, target, label string) string {
		if known(Slug(target)) {
			return whole
		}
		return shown(target, label)
	}, nil)
}

// Marks rewrites the marks of sources: number is what a mark says, and what
// comes back takes its place.
func Marks(content string, mark func(number string) string) string {
	return rewrite(content, func(whole, _, _ string) string { return whole }, mark)
}

// fileLink is a Markdown link to a Markdown file: its text, and the path
// without the ending.
var fileLink = regexp.MustCompile(`\[([^\[\]\n]{1,300})\]\(<?([^()<>\s#]{1,300})\.(?:md|markdown)(?:#[^()\s]*)?>?\)`)
