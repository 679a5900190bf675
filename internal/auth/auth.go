// Package auth turns a request's credential into the scope that says what the
// caller may see, and keeps other sites' pages away from a server that trusts
// everyone on this machine.
//
//	a := auth.New(auth.Options{Keys: keys})
//	if err := a.CheckListen(addr); err != nil { … }   // before listening
//	scope, err := a.Authenticate(r)                   // for every request
//	ctx := auth.WithScope(r.Context(), scope)         // and, in a handler,
//	scope := auth.ScopeOf(ctx)
package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"kaoju/internal/core"
)

// Options configure an Authenticator.
type Options struct {
	// Keys are the API keys that open the server. Without any, every caller
	// on a loopback address is the owner.
	Keys []string
	// Hosts are names by which the server is reached besides loopback ones,
	// without a port.
	Hosts []string
}

// Authenticator decides who a caller is. It never changes and is safe for any
// number of goroutines.
type Authenticator struct {
	keys   [][sha256.Size]byte
	hosts  []string
	origin *http.CrossOriginProtection
}

// New makes an Authenticator; empty keys are ignored.
func New(o Options) *Authenticator {
	a := &Authenticator{origin: http.NewCrossOriginProtection()}
	for _, k := range o.Keys {
		if k != "" {
			a.keys = append(a.keys, sha256.Sum256([]byte(k)))
		}
	}
	for _, h := range o.Hosts {
		a.hosts = append(a.hosts, strings.ToLower(h))
	}
	return a
}

// CheckListen refuses to open a server without a key to other machines. addr
// is what net.Listen takes.
func (a *Authenticator) CheckListen(addr string) error {
	if len(a.keys) > 0 {
		return nil
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return core.Wrap(err, core.CodeInvalid, "%q is not an address to listen on; write it as host:port, like 127.0.0.1:8420", addr)
	}
	if isLoopback(host) {
		return nil
	}
	return core.Errorf(core.CodeInvalid,
		"without an API key the server listens on this machine only, and %q is open to others; set an API key, or listen on 127.0.0.1", addr)
}

// Authenticate gives the caller's scope. Wrong or missing credentials are
// core.CodeUnauthorized; requests that a foreign site has a browser send are
// core.CodeForbidden.
func (a *Authenticator) Authenticate(r *http.Request) (core.Scope, error) {
	if key := keyOf(r); key != "" && len(a.keys) > 0 {
		if !a.known(key) {
			return core.Scope{}, core.Errorf(core.CodeUnauthorized, "the API key is not known")
		}
		// No page of another site can add this header, so it is not asked
		// where the request comes from.
		return core.OwnerScope(), nil
	}
	if len(a.keys) > 0 {
		return core.Scope{}, core.Errorf(core.CodeUnauthorized,
			"an API key is needed; send it as Authorization: Bearer KEY or as X-API-Key")
	}
	if !isLoopback(hostOf(r.RemoteAddr)) {
		return core.Scope{}, core.Errorf(core.CodeUnauthorized, "without an API key the server answers this machine only")
	}
	if err := a.checkBrowser(r); err != nil {
		return core.Scope{}, err
	}
	return core.OwnerScope(), nil
}

// known compares the key with every configured one, in a time that depends on
// neither.
func (a *Authenticator) known(key string) bool {
	sum, match := sha256.Sum256([]byte(key)), 0
	for _, k := range a.keys {
		match |= subtle.ConstantTimeCompare(sum[:], k[:])
	}
	return match == 1
}

// checkBrowser keeps a page of another site from using the visitor's own
// server: by a name that resolves to 127.0.0.1 (DNS rebinding), or by a form
// or script that posts to it (cross-site request forgery).
func (a *Authenticator) checkBrowser(r *http.Request) error {
	host := strings.ToLower(hostOf(r.Host))
	if !isLoopback(host) && !slices.Contains(a.hosts, host) {
		return core.Errorf(core.CodeForbidden, "the server does not answer to the name %q", host)
	}
	if err := a.origin.Check(r); err != nil {
		return core.Wrap(err, core.CodeForbidden, "the request comes from a page of another site")
	}
	return nil
}

// CheckOrigin refuses pages of other sites where a browser does not ask
// before it connects, as with a WebSocket. Callers that are no browsers send
// no Origin.
func (a *Authenticator) CheckOrigin(r *http.Request) error {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || (!strings.EqualFold(u.Host, r.Host) && !slices.Contains(a.hosts, strings.ToLower(u.Hostname()))) {
		return core.Errorf(core.CodeForbidden, "the request comes from a page of another site")
	}
	return nil
}

// Subprotocol is the WebSocket subprotocol of ours. A browser cannot send
// headers with a WebSocket; it offers this one and, as a second, keyPrefix
// with the key in unpadded base64url.
const (
	Subprotocol = "kaoju"
	keyPrefix   = "kaoju.key."
)

// keyOf reads the credential of a request, "" where it has none.
func keyOf(r *http.Request) string {
	if key := r.Header.Get("X-API-Key"); key != "" {
		return key
	}
	if key := offeredKey(r); key != "" {
		return key
	}
	scheme, key, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(key)
	}
	return ""
}

// offeredKey reads a key from the subprotocols that a WebSocket offers.
func offeredKey(r *http.Request) string {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for offer := range strings.SplitSeq(line, ",") {
			encoded, ok := strings.CutPrefix(strings.TrimSpace(offer), keyPrefix)
			if !ok {
				continue
			}
			if key, err := base64.RawURLEncoding.DecodeString(encoded); err == nil {
				return string(key)
			}
		}
	}
	return ""
}

// hostOf takes the port, and the brackets of an IPv6 address, off.
func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// isLoopback reports whether a name or an address is this machine and nothing
// else. The empty host means every address.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

type scopeKey struct{}

// WithScope puts the caller's scope on a request's context.
func WithScope(ctx context.Context, scope core.Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, scope)
}

// ScopeOf gives the caller's scope; the zero Scope, which sees nothing, where
// nobody was authenticated.
func ScopeOf(ctx context.Context) core.Scope {
	scope, _ := ctx.Value(scopeKey{}).(core.Scope)
	return scope
}
