package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"kaoju/internal/core"
	"kaoju/internal/llm/openai"
)

// maxOptions is the longest text of options, in bytes.
const maxOptions = 64 << 10

// readOptions reads the options of a model: JSON, with times such as "90s".
// Where the model is and what it is called do not stand there.
func readOptions(raw []byte) (openai.Options, error) {
	var o openai.Options
	if len(raw) > maxOptions {
		return o, core.Errorf(core.CodeTooLarge, "the options of a model are longer than %d bytes", maxOptions)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return o, nil
	}
	if !json.Valid(raw) {
		return o, core.Errorf(core.CodeInvalid, "the options of a model must be a JSON object")
	}
	// YAML reads JSON, and times as people write them.
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&o); err != nil && !errors.Is(err, io.EOF) {
		return openai.Options{}, core.Errorf(core.CodeInvalid, "the options of the model: %s", reasonOf(err))
	}
	if o.BaseURL != "" || o.Model != "" || o.APIKey != "" {
		return openai.Options{}, core.Errorf(core.CodeInvalid, "base_url, name and api_key stand beside the options and not in them")
	}
	return o, nil
}

// reasonOf takes what the decoder says of lines and Go types out of an error.
func reasonOf(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n  ")
	if _, rest, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(text, "line ") {
		text = rest
	}
	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, " in type ")
	return strings.NewReplacer("time.Duration", "a time such as 30s", "`", "", "openai.", "").Replace(text)
}

// writeOptions writes what is set of options, headers masked.
func writeOptions(o openai.Options) json.RawMessage {
	o.BaseURL, o.Model, o.APIKey = "", "", ""
	text, err := yaml.Marshal(o)
	if err != nil {
		return nil
	}
	var tree map[string]any
	if yaml.Unmarshal(text, &tree) != nil {
		return nil
	}
	pruned, _ := prune(tree).(map[string]any)
	if len(pruned) == 0 {
		return nil
	}
	raw, err := json.Marshal(pruned)
	if err != nil {
		return nil
	}
	return raw
}

// prune takes away what is not set. Affixes that are set to nothing stay: they
// stand in place of those that go with a model's name.
func prune(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		if v == nil || v == "" || v == 0 || v == false || v == "0s" {
			return nil
		}
		return v
	}
	out := map[string]any{}
	for key, value := range m {
		if key == "body" {
			if fields, ok := value.(map[string]any); ok && len(fields) > 0 {
				out[key] = fields // also what is null there: it takes a field away
			}
			continue
		}
		kept := prune(value)
		if kept == nil && (key != "affixes" || value == nil) {
			continue
		}
		if kept == nil {
			kept = map[string]any{}
		}
		out[key] = kept
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// secrets is what of a model is sealed.
type secrets struct {
	APIKey  string            `json:"api_key,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

func (r *Registry) seal(id string, o openai.Options) (string, error) {
	s := secrets{APIKey: string(o.APIKey)}
	for name, value := range o.Headers {
		if s.Headers == nil {
			s.Headers = map[string]string{}
		}
		s.Headers[name] = string(value)
	}
	if s.APIKey == "" && s.Headers == nil {
		return "", nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return "", core.Wrap(err, core.CodeInternal, "the secrets of a model cannot be written")
	}
	return r.options.Sealer.Seal(owner(id), string(text))
}

func (r *Registry) unseal(m core.StoredModel, o *openai.Options) error {
	if m.Sealed == "" {
		return nil
	}
	text, err := r.options.Sealer.Open(owner(m.ID), m.Sealed)
	if err != nil {
		return err
	}
	var s secrets
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return core.Wrap(err, core.CodeCorrupt, "the sealed secrets of the model %s are damaged; enter its key again", m.ID)
	}
	o.APIKey = openai.Secret(s.APIKey)
	o.Headers = nil
	for name, value := range s.Headers {
		if o.Headers == nil {
			o.Headers = map[string]openai.Secret{}
		}
		o.Headers[name] = openai.Secret(value)
	}
	return nil
}

func owner(id string) string { return "model " + id }

// keyMask stands for what of a key is not shown.
const keyMask = "••••"

// maskKey shows the last four characters of a key, of a short one none.
func maskKey(key string) string {
	switch n := utf8.RuneCountInString(key); {
	case n == 0:
		return ""
	case n < 12:
		return keyMask
	}
	runes := []rune(key)
	return keyMask + string(runes[len(runes)-4:])
}
