package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"

	"kaoju/internal/core"
)

// Sources are the places that Load reads, in the order in which they win:
// the file least, the flags most.
type Sources struct {
	File    string            // YAML; "" means none
	Environ []string          // "KEY=value" pairs, as os.Environ gives them
	Flags   map[string]string // by option key, only those that were given
}

// Load gives the effective configuration. Unknown keys and bad values are
// core.CodeInvalid errors that name the key, the value and what is allowed.
func Load(src Sources) (*Config, error) {
	c := Default()
	table := c.Table()
	file, err := readFile(src.File)
	if err != nil {
		return nil, err
	}
	layers := []struct {
		origin string
		values map[string]string
	}{
		{src.File, file},
		{"environment", environ(src.Environ, table)},
		{"command line", src.Flags},
	}
	for _, layer := range layers {
		if err := applyAll(table, layer.values, layer.origin); err != nil {
			return nil, err
		}
	}
	if c.Chunk.Child > c.Chunk.Parent || c.Chunk.Overlap >= c.Chunk.Child {
		return nil, core.Errorf(core.CodeInvalid, "chunk.overlap (%d) must be below chunk.child (%d), and that at most chunk.parent (%d)",
			c.Chunk.Overlap, c.Chunk.Child, c.Chunk.Parent)
	}
	for name, m := range map[string]Model{"chat_model": c.ChatModel, "embedding_model": c.EmbeddingModel, "rerank_model": c.RerankModel, "vision_model": c.VisionModel} {
		if m.BaseURL != "" && m.Name == "" {
			return nil, core.Errorf(core.CodeInvalid, "%s.base_url is set; %s.name must say which model to use there", name, name)
		}
	}
	return c, nil
}

func applyAll(table []Option, values map[string]string, origin string) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		i := slices.IndexFunc(table, func(o Option) bool { return o.Key == key })
		if i < 0 {
			return unknownKey(table, key, origin)
		}
		if err := table[i].apply(values[key], origin); err != nil {
			return err
		}
	}
	return nil
}

func readFile(path string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, core.Wrap(err, core.CodeNotFound, "there is no configuration file %s", path)
	}
	if err != nil {
		return nil, core.Wrap(err, core.CodeInvalid, "the configuration file %s cannot be read", path)
	}
	k := koanf.New(".")
	if err := k.Load(rawbytes.Provider(raw), yaml.Parser()); err != nil {
		return nil, core.Errorf(core.CodeInvalid, "%s is not YAML: %s", path, err)
	}
	values := map[string]string{}
	for key, v := range k.All() {
		values[key] = scalar(v)
	}
	return values, nil
}

// scalar gives a YAML value as it would stand in an environment variable.
func scalar(v any) string {
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v)
	}
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = fmt.Sprint(p)
	}
	return strings.Join(parts, ",")
}

// environ picks the options' variables. A KAOJU_ variable that is no option
// is kept under its own name, so that Load reports it as unknown.
func environ(pairs []string, table []Option) map[string]string {
	values := map[string]string{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "KAOJU_") || reserved(name) {
			continue
		}
		key := name
		for _, o := range table {
			if o.Env() == name {
				key = o.Key
			}
		}
		values[key] = value
	}
	return values
}

// reserved names are read by the commands themselves and are no options.
func reserved(name string) bool {
	return name == "KAOJU_CONFIG" || name == "KAOJU_SERVER" || name == "KAOJU_KEY"
}

func unknownKey(table []Option, key, origin string) error {
	best, distance := "", 4
	for _, o := range table {
		for _, known := range []string{o.Key, o.Env()} {
			if d := editDistance(key, known); d < distance {
				best, distance = known, d
			}
		}
	}
	hint := "run 'kaoju config' for the list"
	if best != "" {
		hint = "did you mean " + best + "?"
	}
	return core.Errorf(core.CodeInvalid, "%s: there is no option %q; %s", origin, key, hint)
}

// editDistance is the Levenshtein distance between two keys, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
