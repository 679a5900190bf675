package assistant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"kaoju/internal/core"
)

// maxFile is the largest file of rules or of an assistant, in bytes.
const maxFile = 1 << 20

// document is a YAML or TOML file that is read strictly: a key that is not
// known is an error.
type document struct {
	name string
	raw  []byte
}

// into decodes the file into v by its JSON names.
func (d document) into(v any) error {
	if len(d.raw) > maxFile {
		return core.Errorf(core.CodeTooLarge, "%s is larger than %d bytes", d.name, maxFile)
	}
	var tree map[string]any
	if err := d.parse(&tree); err != nil {
		return err
	}
	encoded, err := json.Marshal(tree)
	if err != nil {
		return d.fault("", "it holds a value that is no text, number, list or table")
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.DisallowUnknownFields()
	return d.explain(decoder.Decode(v))
}

func (d document) parse(tree *map[string]any) error {
	if strings.EqualFold(filepath.Ext(d.name), ".toml") {
		err := toml.Unmarshal(d.raw, tree)
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return core.Errorf(core.CodeInvalid, "%s: line %d: %s", d.name, line, at.Error())
		}
		if err != nil {
			return core.Errorf(core.CodeInvalid, "%s is not TOML: %v", d.name, err)
		}
		return nil
	}
	if err := yaml.Unmarshal(d.raw, tree); err != nil {
		return core.Errorf(core.CodeInvalid, "%s is not YAML: %v", d.name, err) // the error has the line
	}
	return nil
}

// explain gives what a strict decoder said with the line that it is about.
func (d document) explain(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		key := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
		return d.fault(key, "%s must not be a %s", wrong.Field, wrong.Value)
	}
	if _, rest, ok := strings.Cut(err.Error(), "unknown field "); ok {
		key := strings.Trim(rest, `"`)
		return d.fault(key, "there is no setting %q", key)
	}
	return core.Errorf(core.CodeInvalid, "%s: %v", d.name, err)
}

// fault is an error about the first line that holds word.
func (d document) fault(word, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if line := d.line(word); line > 0 {
		return core.Errorf(core.CodeInvalid, "%s: line %d: %s", d.name, line, message)
	}
	return core.Errorf(core.CodeInvalid, "%s: %s", d.name, message)
}

// line is the number of the first line that holds word, comments apart; 0
// where none does.
func (d document) line(word string) int {
	if word == "" {
		return 0
	}
	escaped := strings.ReplaceAll(word, `\`, `\\`) // as a quoted value has it
	for i, line := range strings.Split(string(d.raw), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if strings.Contains(line, word) || strings.Contains(line, escaped) {
			return i + 1
		}
	}
	return 0
}
