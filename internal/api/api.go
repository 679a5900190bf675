// Package api is the server's face: every route in one list (routes.go), one
// place that shapes errors (problem.go), and what every request goes through (middleware.go).
//
//	handler := api.New(api.Options{Native: handlers, Auth: authenticator})
//	server := api.NewServer(handler)
//
// The protocols stand in packages of their own: native is /api/v1, openai /v1,
// ragchat /api/rag-chat, ws /api/stream.
package api

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kaoju/internal/api/native"
	"kaoju/internal/api/openai"
	"kaoju/internal/api/ragchat"
	"kaoju/internal/api/ws"
	"kaoju/internal/core"
)

// Authenticator gives a request's caller; auth.Authenticator is the one of the
// product.
type Authenticator interface {
	Authenticate(r *http.Request) (core.Scope, error)
}

// Pages is the interface for people. What it serves is the same for everybody
// and needs no credential: the page asks for one.
type Pages interface {
	http.Handler
	// Serves reports whether a request is for the pages and not for a protocol.
	Serves(r *http.Request) bool
}

// Options are what the face is made of.
type Options struct {
	Native  *native.Handlers
	OpenAI  *openai.Handlers
	RagChat *ragchat.Handlers
	// WebSocket holds connections that outlast the HTTP server: close it too.
	WebSocket *ws.Handlers
	Auth      Authenticator
	// MaxText is the largest JSON body that carries a document, in bytes; 0
	// means 100 MiB. Other JSON bodies may have 1 MiB; uploads are bounded
	// file by file where they are stored.
	MaxText int64
	// Pages is the interface for people; nil serves none.
	Pages  Pages
	Logger *slog.Logger // nil means slog.Default
}

// New gives the handler of all routes.
func New(o Options) http.Handler {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.MaxText == 0 {
		o.MaxText = 100 << 20
	}
	mux := &muxes{}
	rt := &router{api: humago.New(mux, apiConfig(o.Native.Version)), mux: mux, log: o.Logger, maxText: o.MaxText}
	rt.api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) { next(&statusContext{routed: ctx}) })
	rt.routes(o)
	// huma registers its own error document, which translate never lets out.
	schemas := rt.api.OpenAPI().Components.Schemas.Map()
	delete(schemas, "ErrorModel")
	delete(schemas, "ErrorDetail")
	spec := sync.OnceValues(func() ([]byte, error) { return json.Marshal(rt.api.OpenAPI()) })
	document := func(w http.ResponseWriter, r *http.Request) {
		body, err := spec()
		if err != nil {
			problemOf(r.Context(), o.Logger, err).write(w)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}
	mux.HandleFunc("GET /api/openapi.json", document)
	mux.HandleFunc("GET /openapi.json", document)
	return guard(o, notFound(mux))
}

// apiConfig is huma without its documentation pages, which load scripts from
// elsewhere, and without links to schemas.
func apiConfig(version string) huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "Kaoju", Version: version, Description: "Answers from your own documents, with the evidence."},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"bearer": {Type: "http", Scheme: "bearer"},
					"header": {Type: "apiKey", In: "header", Name: "X-API-Key"},
				},
			},
			Security: []map[string][]string{{}, {"bearer": {}}, {"header": {}}},
		},
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{translate},
	}
}

// NewServer gives an http.Server with the timeouts that suit the routes:
// headers must come soon, streams may last.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
