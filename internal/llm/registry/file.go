package registry

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"kaoju/internal/core"
	"kaoju/internal/llm/openai"
)

// modelsFile is what ReadFile reads.
type modelsFile struct {
	Models []fileModel `yaml:"models"`
}

type fileModel struct {
	ID             string         `yaml:"id"`
	Kind           core.ModelKind `yaml:"kind"`
	Default        bool           `yaml:"default"`
	openai.Options `yaml:",inline"`
}

// ReadFile reads models from a YAML file:
//
//	models:
//	  - id: deepseek
//	    kind: chat
//	    base_url: https://api.example.org
//	    model: deepseek-chat
//	    api_key: ${DEEPSEEK_API_KEY}
//	    timeout: {first: 90s}
//
// A key or header written as ${NAME} is taken from the environment. The
// default of a kind comes first.
func ReadFile(path string) ([]Configured, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, core.Wrap(err, core.CodeInvalid, "models.file %s cannot be read", path)
	}
	var f modelsFile
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return nil, core.Errorf(core.CodeInvalid, "models.file %s: %v", path, err)
	}
	var list []Configured
	seen := map[string]bool{}
	for _, m := range f.Models {
		if !goodID.MatchString(m.ID) || seen[m.ID] {
			return nil, core.Errorf(core.CodeInvalid, "models.file %s: %q is no id of its own; use 1 to 64 of a-z, 0-9, _ and -", path, m.ID)
		}
		seen[m.ID] = true
		if err := m.fromEnvironment(); err != nil {
			return nil, core.Errorf(core.CodeInvalid, "models.file %s, model %s: %v", path, m.ID, err)
		}
		c := Configured{ID: m.ID, Kind: m.Kind, Options: m.Options}
		if m.Default {
			list = slices.Insert(list, 0, c)
		} else {
			list = append(list, c)
		}
	}
	return list, nil
}

var variable = regexp.MustCompile(`^\$\{(\w+)\}$`)

func (m *fileModel) fromEnvironment() error {
	key, err := fromEnvironment(m.APIKey)
	if err != nil {
		return err
	}
	m.APIKey = key
	for name, value := range m.Headers {
		if m.Headers[name], err = fromEnvironment(value); err != nil {
			return err
		}
	}
	return nil
}

func fromEnvironment(s openai.Secret) (openai.Secret, error) {
	name := variable.FindStringSubmatch(string(s))
	if name == nil {
		return s, nil
	}
	value, ok := os.LookupEnv(name[1])
	if !ok {
		return "", core.Errorf(core.CodeInvalid, "the environment has no %s", name[1])
	}
	return openai.Secret(value), nil
}
