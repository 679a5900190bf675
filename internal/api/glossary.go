package api

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"kaoju/internal/core"
)

// maxGlossary is the largest glossary that is read, in bytes.
const maxGlossary = 8 << 20

func glossarySize(op *huma.Operation) { op.MaxBodyBytes = maxGlossary }

// describeGlossary documents a body that has two forms: huma would read one
// that it knows of as JSON.
func (rt *router) describeGlossary(path string) {
	rt.api.OpenAPI().Paths[path].Put.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{Type: "object", Properties: map[string]*huma.Schema{
			"entries": {Type: "array", Items: glossaryEntry()},
		}}},
		"text/csv": {Schema: &huma.Schema{Type: "string"}},
	}}
}

// glossaryReply answers with a glossary in either form.
func glossaryReply(op *huma.Operation) {
	op.Responses["200"] = &huma.Response{Description: "The glossary", Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{Type: "object", Properties: map[string]*huma.Schema{
			"knowledge_base_id": {Type: "string"}, "revision": {Type: "integer"}, "pending": {Type: "boolean"},
			"updated_at": {Type: "string"}, "entries": {Type: "array", Items: glossaryEntry()},
		}}},
		"text/csv": {Schema: &huma.Schema{Type: "string"}},
	}}
}

func glossaryEntry() *huma.Schema {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	return huma.SchemaFromType(registry, reflect.TypeFor[core.GlossaryEntry]())
}
