package enrich

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"kaoju/internal/text"
)

// each calls do for 0 … n-1, a few at once, and gives the first error; the
// others are stopped then.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i := range n {
		places <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		group.Go(func() {
			defer func() { <-places }()
			if err := do(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

var (
	bullet   = regexp.MustCompile(`^\s*(?:[-*•·]|[(（]?\d{1,2}[.)、）]|[Qq]\d{0,2}[:：.])\s*`)
	fence    = regexp.MustCompile("(?s)^```[a-zA-Z]*\\s*\n(.*?)\n?```\\s*$")
	thoughts = regexp.MustCompile(`(?is)<think(?:ing)?>.*?(?:</think(?:ing)?>|\z)`)
)

// unfenced takes off what models put around an answer.
func unfenced(s string) string {
	s = strings.TrimSpace(thoughts.ReplaceAllString(s, ""))
	if m := fence.FindStringSubmatch(s); m != nil {
		return strings.TrimSpace(m[1])
	}
	return s
}

// lines reads a list that a model wrote: a JSON array, alone or in an object,
// or a line each, with whatever stands before it. What is too long for a
// question or a tag is prose and left out.
func lines(said string) []string {
	said = unfenced(said)
	list := array(said)
	if list == nil {
		list = strings.Split(said, "\n")
	}
	var out []string
	seen := map[string]bool{}
	for _, l := range list {
		l = strings.TrimSpace(strings.Trim(strings.TrimSpace(bullet.ReplaceAllString(l, "")), `"“”`))
		if l == "" || seen[l] || utf8.RuneCountInString(l) > longestLine || strings.HasSuffix(l, ":") || strings.HasSuffix(l, "：") {
			continue
		}
		seen[l] = true
		out = append(out, l)
	}
	return out
}

// array reads the first JSON array of texts; nil where there is none.
func array(s string) []string {
	at := strings.IndexByte(s, '[')
	if at < 0 {
		return nil
	}
	var list []string
	if json.NewDecoder(strings.NewReader(s[at:])).Decode(&list) != nil {
		return nil
	}
	return list
}

// object reads the first JSON object that stands in words; nil where there is
// none.
func object(words string) map[string]json.RawMessage {
	words = unfenced(words)
	for at := strings.IndexByte(words, '{'); at >= 0; {
		var o map[string]json.RawMessage
		if json.NewDecoder(strings.NewReader(words[at:])).Decode(&o) == nil {
			return o
		}
		next := strings.IndexByte(words[at+1:], '{')
		if next < 0 {
			return nil
		}
		at += 1 + next
	}
	return nil
}

// member gives the text of the first of the keys that has one.
func member(o map[string]json.RawMessage, keys ...string) string {
	for _, k := range keys {
		var s string
		if json.Unmarshal(o[k], &s) == nil {
			if s = strings.TrimSpace(s); s != "" && !isNothing(s) {
				return s
			}
		}
	}
	return ""
}

func isNothing(s string) bool {
	switch strings.ToLower(strings.Trim(s, `."'。 `)) {
	case "", "null", "none", "n/a", "no text", "无", "没有", "无文字":
		return true
	}
	return false
}

// tableReply reads what a model said about a table: as JSON, or in plain words,
// which are then the summary.
func tableReply(said string) (about, columns string) {
	o := object(said)
	if o == nil {
		return text.Truncate(unfenced(said), longestText), ""
	}
	about = text.Truncate(member(o, "summary", "description", "about"), longestText)
	var list []struct{ Name, Description string }
	var named map[string]string
	var b strings.Builder
	switch {
	case json.Unmarshal(o["columns"], &list) == nil:
		for _, c := range list {
			if c.Name != "" && c.Description != "" {
				b.WriteString(c.Name + ": " + c.Description + "\n")
			}
		}
	case json.Unmarshal(o["columns"], &named) == nil:
		for _, name := range slices.Sorted(maps.Keys(named)) {
			b.WriteString(name + ": " + named[name] + "\n")
		}
	}
	return about, text.Truncate(strings.TrimSpace(b.String()), longestText)
}
