package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// schema is as much of an OpenAPI schema as the test compares.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       any               `json:"type"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Required   []string          `json:"required"`
	Additional any               `json:"additionalProperties"`
}

type media map[string]struct{ Schema schema }

type operation struct {
	Parameters []struct {
		Name, In string
		Required bool
	}
	RequestBody struct{ Content media }
	Responses   map[string]struct{ Content media }
}

type openAPI struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]schema }
}

// readOpenAPI asks the product for its document.
func readOpenAPI(t *testing.T) openAPI {
	t.Helper()
	w := serve(t, nil)
	resp, err := http.Get(w.url + "/api/openapi.json")
	must(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	var document openAPI
	must(t, json.Unmarshal(body, &document))
	return document
}

func readAsset(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("assets", filepath.FromSlash(name)))
	must(t, err)
	return string(body)
}

var (
	endpointLine = regexp.MustCompile(`(?m)^  (\w+): \{ method: '([A-Z]+)', path: '([^']+)', query: \[([^\]]*)\], body: \[([^\]]*)\], answer: '(\w*)' \},$`)
	typedef      = regexp.MustCompile(`(?s)@typedef \{object\} (\w+)\n(.*?)\*/`)
	property     = regexp.MustCompile(`@property \{(.+)\} (\[?)(\w+)\]?`)
)

func names(list string) []string {
	var out []string
	for item := range strings.SplitSeq(list, ",") {
		if name := strings.Trim(strings.TrimSpace(item), "'"); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// TestClientMatchesOpenAPI compares every call that the pages make, with every
// parameter and field, to what the server says that it serves.
func TestClientMatchesOpenAPI(t *testing.T) {
	document := readOpenAPI(t)
	text := readAsset(t, "js/api/endpoints.js")
	lines := endpointLine.FindAllStringSubmatch(text, -1)
	if len(lines) < 20 || len(lines) != strings.Count(text, "{ method:") {
		t.Fatalf("%d of %d endpoints were read", len(lines), strings.Count(text, "{ method:"))
	}
	for _, m := range lines {
		name, method, path := m[1], m[2], m[3]
		if path == "/api/openapi.json" {
			continue // the document does not tell of itself
		}
		op, ok := document.Paths[path][strings.ToLower(method)]
		if !ok {
			t.Errorf("%s: the server has no %s %s", name, method, path)
			continue
		}
		for _, q := range names(m[4]) {
			if !slices.ContainsFunc(op.Parameters, func(p struct {
				Name, In string
				Required bool
			}) bool {
				return p.Name == q && p.In == "query"
			}) {
				t.Errorf("%s: %s has no parameter %s", name, path, q)
			}
		}
		body := document.body(op)
		for _, field := range names(m[5]) {
			if _, ok := body.Properties[field]; !ok {
				t.Errorf("%s: the body has no field %s", name, field)
			}
		}
		for _, field := range body.Required {
			if !slices.Contains(names(m[5]), field) {
				t.Errorf("%s: the body needs %s", name, field)
			}
		}
		if got := document.answer(op); got != m[6] {
			t.Errorf("%s: the answer is %q, not %q", name, got, m[6])
		}
	}
}

// body gives the schema of a request's body.
func (d openAPI) body(op operation) schema {
	for _, kind := range []string{"application/json", "multipart/form-data"} {
		if m, ok := op.RequestBody.Content[kind]; ok {
			return d.resolve(m.Schema)
		}
	}
	return schema{}
}

// answer names the schema of an answer in JSON.
func (d openAPI) answer(op operation) string {
	for status, r := range op.Responses {
		if status[0] == '2' {
			return strings.TrimPrefix(r.Content["application/json"].Schema.Ref, "#/components/schemas/")
		}
	}
	return ""
}

func (d openAPI) resolve(s schema) schema {
	if s.Ref != "" {
		return d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return s
}

// TestTypesMatchOpenAPI compares the shapes that the pages read to the
// schemas of the same name.
func TestTypesMatchOpenAPI(t *testing.T) {
	document := readOpenAPI(t)
	types := typedef.FindAllStringSubmatch(readAsset(t, "js/api/types.js")+readAsset(t, "js/api/knowledgetypes.js")+readAsset(t, "js/api/wikitypes.js"), -1)
	if len(types) < 20 {
		t.Fatalf("%d types were read", len(types))
	}
	for _, m := range types {
		s, ok := document.Components.Schemas[m[1]]
		if !ok {
			t.Errorf("there is no schema %s", m[1])
			continue
		}
		for _, p := range property.FindAllStringSubmatch(m[2], -1) {
			field, ok := s.Properties[p[3]]
			if !ok {
				t.Errorf("%s has no property %s", m[1], p[3])
				continue
			}
			if got := javaScript(field); got != strings.ReplaceAll(p[1], " ", "") {
				t.Errorf("%s.%s is %s in the document, and %s in types.js", m[1], p[3], got, p[1])
			}
			if optional := !slices.Contains(s.Required, p[3]); optional != (p[2] == "[") {
				t.Errorf("%s.%s: optional is %t in the document", m[1], p[3], optional)
			}
		}
	}
}

// javaScript writes a schema as a JSDoc type.
func javaScript(s schema) string {
	if s.Ref != "" {
		return strings.TrimPrefix(s.Ref, "#/components/schemas/")
	}
	kinds, many := s.Type.([]any)
	if !many {
		kinds = []any{s.Type}
	}
	var out []string
	for _, kind := range kinds {
		switch {
		case kind == "integer" || kind == "number":
			out = append(out, "number")
		case kind == "array" && s.Items != nil:
			out = append(out, javaScript(*s.Items)+"[]")
		case kind == "object" && s.Additional != nil && len(s.Properties) == 0:
			out = append(out, "object")
		default:
			word, _ := kind.(string)
			out = append(out, word)
		}
	}
	return strings.Join(out, "|")
}
