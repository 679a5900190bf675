package assistant

import (
	_ "embed" // the rules in the binary
	"errors"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"

	"kaoju/internal/core"
)

//go:embed rules.yaml
var builtinRules []byte

var ours = sync.OnceValue(func() *Set {
	set, err := compile(document{"rules.yaml", builtinRules})
	if err != nil {
		panic("the rules in the binary: " + err.Error()) // a test reads them
	}
	return set
})

// DefaultRules gives the rules in the binary.
func DefaultRules() *Set { return ours() }

// ReadRules makes a set of a file's content; the name decides between YAML
// and TOML. What is wrong is a core.CodeInvalid error with the line.
func ReadRules(name string, raw []byte) (*Set, error) { return compile(document{name, raw}) }

func compile(d document) (*Set, error) {
	var r Rules
	if err := d.into(&r); err != nil {
		return nil, err
	}
	if err := r.check(d); err != nil {
		return nil, err
	}
	s := &Set{rules: r}
	var all error
	patterns := func(list []string) []*regexp.Regexp {
		out, err := compilePatterns(d, list)
		all = errors.Join(all, err)
		return out
	}
	s.greeting, s.human, s.outOfScope = patterns(r.Greeting.Patterns), patterns(r.HumanService.Patterns), patterns(r.OutOfScope.Patterns)
	for _, c := range r.Categories {
		s.kinds = append(s.kinds, kind{c.Name, patterns(c.Patterns)})
	}
	return s, all
}

// maxPattern is the longest pattern, in bytes.
const maxPattern = 2000

func compilePatterns(d document, list []string) ([]*regexp.Regexp, error) {
	var out []*regexp.Regexp
	for _, p := range list {
		re, err := regexp.Compile(p)
		switch {
		case p == "":
			return nil, d.fault("patterns", "a pattern is empty")
		case len(p) > maxPattern:
			return nil, d.fault(p[:40], "a pattern is longer than %d bytes", maxPattern)
		case err != nil:
			return nil, d.fault(p, "%v", err)
		case re.MatchString(""):
			return nil, d.fault(p, "the pattern %q matches everything", p)
		}
		out = append(out, re)
	}
	return out, nil
}

// check refuses numbers and names that make no sense.
func (r Rules) check(d document) error {
	numbers := []struct {
		key        string
		value, max int
	}{
		{"max_chars", r.FAQ.MaxChars, 1000}, {"max_chars", r.Greeting.MaxChars, 1000},
		{"max_chars", r.HumanService.MaxChars, 1000}, {"max_chars", r.OutOfScope.MaxChars, 10_000},
		{"max", r.Variants.Max, 10}, {"short_max_chars", r.Variants.ShortChars, 1000},
		{"max_chars", r.Short.MaxChars, 1000}, {"max_words", r.Short.MaxWords, 100},
	}
	for _, n := range numbers {
		if n.value < 0 || n.value > n.max {
			return d.fault(n.key, "%s is %d; it lies in 0..%d", n.key, n.value, n.max)
		}
	}
	for _, c := range r.Categories {
		if !slices.Contains(categories(), c.Name) {
			return d.fault(c.Name, "there is no category %q; the categories are %v", c.Name, categories())
		}
	}
	for _, rep := range r.Variants.Replacements {
		if len(rep.Replace) == 0 || len(rep.WhenAny)+len(rep.WhenAll) == 0 {
			return d.fault("replacements", "a replacement needs when_any or when_all, and replace")
		}
		for _, swap := range rep.Replace {
			if swap.From == "" || swap.From == swap.To {
				return d.fault("replace", "a replacement from %q to %q changes nothing", swap.From, swap.To)
			}
		}
	}
	return nil
}

// lookEvery is how often a file is looked at for changes, at most.
const lookEvery = time.Second

// Book is a file of rules that may be edited while it is used. It is safe for
// concurrent use.
type Book struct {
	path string
	now  func() time.Time

	mu      sync.Mutex
	current *Set
	looked  time.Time
	stamp   stamp
	loaded  time.Time
	fault   error
}

// stamp tells versions of a file apart.
type stamp struct {
	changed time.Time
	size    int64
}

// OpenRules reads a file of rules; "" means the rules in the binary.
func OpenRules(path string) (*Book, error) {
	b := &Book{path: path, now: time.Now, current: DefaultRules()}
	if path == "" {
		return b, nil
	}
	return b, b.Reload()
}

// Rules gives the rules in force. A file that changed is read again; where
// that fails the rules before it stay, and the log says why.
func (b *Book) Rules() *Set {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.path == "" || b.now().Sub(b.looked) < lookEvery {
		return b.current
	}
	b.looked = b.now()
	if info, err := os.Stat(b.path); err == nil && b.stamp != (stamp{info.ModTime(), info.Size()}) {
		if err := b.read(); err != nil {
			slog.Error("the changed rules are not taken", "error", err)
		}
	}
	return b.current
}

// Reload reads the file now and says what is wrong with it.
func (b *Book) Reload() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.path == "" {
		return nil
	}
	return b.read()
}

func (b *Book) read() error {
	set, err := b.load()
	b.fault = err
	if err == nil {
		b.current, b.loaded = set, b.now()
	}
	return err
}

func (b *Book) load() (*Set, error) {
	info, err := os.Stat(b.path)
	if err != nil {
		return nil, core.Wrap(err, core.CodeInvalid, "rules.file: %s cannot be read", b.path)
	}
	b.stamp, b.looked = stamp{info.ModTime(), info.Size()}, b.now()
	raw, err := os.ReadFile(b.path)
	if err != nil {
		return nil, core.Wrap(err, core.CodeInvalid, "rules.file: %s cannot be read", b.path)
	}
	return ReadRules(b.path, raw)
}

// BookState says which rules are in force.
type BookState struct {
	File   string    `json:"file"` // "" for those in the binary
	Loaded time.Time `json:"loaded_at"`
	Fault  string    `json:"fault,omitempty"` // why the last change was not taken
	Rules  Rules     `json:"rules"`
}

// State gives the rules in force with where they are from.
func (b *Book) State() BookState {
	set := b.Rules()
	b.mu.Lock()
	defer b.mu.Unlock()
	s := BookState{File: b.path, Loaded: b.loaded, Rules: set.rules}
	if b.fault != nil {
		s.Fault = core.PublicMessage(b.fault)
	}
	return s
}
