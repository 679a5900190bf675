// Package web is the interface for people: pages that this package holds and
// serves, which speak the same /api/v1 as every other client.
//
//	pages := web.New()
//	if pages.Serves(r) { pages.ServeHTTP(w, r) }
//
// What people read and change are the ES modules in assets/js and the sheets in
// assets/css; browsers load them joined, as app.js (see the package bundle) and
// all.css. The files are served below an address that holds a hash of them
// all, for ever; only the page itself is asked for anew.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed assets/index.html assets/favicon.svg assets/app.js assets/js/first.js assets/css
var assets embed.FS

// prefix is where files lie, followed by the hash of them all.
const prefix = "/assets/"

// policy lets the page load what this server serves, and nothing else: no
// inline script or style, no frames, and, by trusted-types, no HTML that is
// made from text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// pages are the first words of the addresses that the page itself answers:
// the script in it shows what an address names.
var pages = []string{"", "chat", "knowledge", "answers", "reference", "settings"}

// Handler serves the pages. It never changes and is safe for any number of
// goroutines.
type Handler struct {
	files map[string]*file // by request path
	index *file
}

// file is one answer, ready to send.
type file struct {
	name     string
	kind     string // content type
	body     []byte
	etag     string
	forever  bool
	compress func() []byte // made once, when the first browser asks
}

// New takes up the embedded files, which can always be read.
func New() *Handler {
	bodies := map[string][]byte{"all.css": sheet()}
	for _, name := range []string{"favicon.svg", "app.js", "js/first.js"} {
		bodies[name] = content(name)
	}
	page, root := content("index.html"), prefix+sum(bodies)+"/"
	h := &Handler{files: map[string]*file{}}
	for name, body := range bodies {
		h.files[root+name] = newFile(name, body, true)
	}
	h.files["/favicon.ico"] = h.files[root+"favicon.svg"]
	h.index = newFile("index.html", bytes.ReplaceAll(page, []byte("{{root}}"), []byte(root)), false)
	return h
}

func content(name string) []byte {
	body, _ := assets.ReadFile("assets/" + name)
	return body
}

// sheet joins the style sheets: the page is not painted before the last of
// them is there, and one comes sooner than five.
func sheet() []byte {
	var out bytes.Buffer
	for _, name := range []string{"base", "shell", "chat", "prose", "knowledge", "wiki"} {
		out.Write(content("css/" + name + ".css"))
	}
	return out.Bytes()
}

// sum hashes files, names and all.
func sum(bodies map[string][]byte) string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		fmt.Fprintf(hash, "%s %d\n", name, len(bodies[name]))
		hash.Write(bodies[name])
	}
	return hex.EncodeToString(hash.Sum(nil))[:16]
}

var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

func newFile(name string, body []byte, forever bool) *file {
	sum := sha256.Sum256(body)
	return &file{
		name: name, kind: kinds[path.Ext(name)], body: body, forever: forever,
		etag: hex.EncodeToString(sum[:8]), compress: sync.OnceValue(func() []byte { return compressed(body) }),
	}
}

// compressed gives the body as gzip. Writing to memory does not fail.
func compressed(body []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = w.Write(body)
	_ = w.Close()
	return out.Bytes()
}

// Serves reports whether the request is for the pages and not for the API.
func (h *Handler) Serves(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	return h.find(r.URL.Path) != nil
}

func (h *Handler) find(p string) *file {
	if f := h.files[p]; f != nil {
		return f
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	if slices.Contains(pages, first) {
		return h.index
	}
	return nil
}

// ServeHTTP answers with a file.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := h.find(r.URL.Path)
	if f == nil {
		http.NotFound(w, r)
		return
	}
	secure(w.Header())
	f.serve(w, r)
}

// secure sets the headers that bind a browser to the policy.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-cache")
	if f.forever {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	header.Set("Content-Type", f.kind)
	header.Set("Vary", "Accept-Encoding")
	body, etag := f.body, `"`+f.etag+`"`
	if acceptsGzip(r) {
		body, etag = f.compress(), `"`+f.etag+`-gz"`
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("ETag", etag)
	if known(r.Header.Get("If-None-Match"), etag) {
		header.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a caller that left is all that can go wrong
	}
}

// acceptsGzip reads Accept-Encoding; "gzip;q=0" refuses.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, parameters, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(name, "gzip") {
			_, quality, given := strings.Cut(parameters, "q=")
			q, err := strconv.ParseFloat(strings.TrimSpace(quality), 64)
			return !given || (err == nil && q > 0)
		}
	}
	return false
}

// known reports whether a browser's If-None-Match names the entity.
func known(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == etag || candidate == "*" {
			return true
		}
	}
	return false
}
