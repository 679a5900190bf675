package api

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"kaoju/internal/api/fault"
	"kaoju/internal/auth"
	"kaoju/internal/core"
)

// guard is what every request goes through: headers, recovery from panics,
// and the credential.
func guard(o Options, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		out := &response{ResponseWriter: w}
		defer func() {
			if p := recover(); p != nil {
				rescue(o, out, r, p)
			}
		}()
		if o.Pages != nil && o.Pages.Serves(r) {
			o.Pages.ServeHTTP(out, r)
			return
		}
		if r.URL.Path != "/healthz" { // probes have no credential
			scope, err := o.Auth.Authenticate(r)
			if err != nil {
				refuse(out, r, fault.Of(r.Context(), o.Logger, err))
				return
			}
			r = r.WithContext(auth.WithScope(r.Context(), scope))
		}
		next.ServeHTTP(out, r)
	})
}

// secure sets the headers that keep browsers from guessing, framing and
// storing.
func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
}

// rescue answers a request whose handler panicked. Where the response has
// begun, breaking the connection is the only honest end.
func rescue(o Options, w *response, r *http.Request, p any) {
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
		panic(p)
	}
	o.Logger.ErrorContext(r.Context(), "a handler panicked",
		"method", r.Method, "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.begun {
		panic(http.ErrAbortHandler)
	}
	refuse(w, r, fault.New(core.CodeInternal, core.PublicMessage(nil)))
}

// response remembers whether anything was sent.
type response struct {
	http.ResponseWriter
	begun bool
}

// WriteHeader sends the status.
func (w *response) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *response) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController the writer behind.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// notFound turns the mux's own 404 and 405, which are plain text, into
// errors of the protocol.
func notFound(muxes *muxes) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux := muxes.of(r.URL.Path)
		h, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		probe := &discarded{header: http.Header{}}
		h.ServeHTTP(probe, r)
		if allow := probe.header.Get("Allow"); allow != "" {
			w.Header().Set("Allow", allow)
			f := fault.New(core.CodeInvalid, r.Method+" is not possible here; "+allow+" is")
			f.Status = http.StatusMethodNotAllowed
			refuse(w, r, f)
			return
		}
		refuse(w, r, fault.New(core.CodeNotFound, "there is no "+r.URL.Path))
	})
}

// discarded is a response of which only the headers matter.
type discarded struct{ header http.Header }

// Header gives the headers.
func (d *discarded) Header() http.Header { return d.header }

// Write drops the body.
func (d *discarded) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader drops the status, which the Allow header implies.
func (d *discarded) WriteHeader(int) {}

// continueStream is the one family of paths in which a fixed word stands where
// its siblings have an id. To http.ServeMux that is a conflict, so these
// patterns live in a mux of their own.
const continueStream = "/api/v1/sessions/continue-stream/"

// muxes is a mux in two parts.
type muxes struct{ rest, continued http.ServeMux }

// of gives the part that a path, or a pattern's path, belongs to.
func (m *muxes) of(path string) *http.ServeMux {
	if strings.HasPrefix(path, continueStream) {
		return &m.continued
	}
	return &m.rest
}

// HandleFunc registers a pattern of the form "METHOD /path".
func (m *muxes) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	_, path, _ := strings.Cut(pattern, " ")
	m.of(path).HandleFunc(pattern, h)
}

// ServeHTTP answers a request.
func (m *muxes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.of(r.URL.Path).ServeHTTP(w, r)
}
