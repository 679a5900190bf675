// Package fetch gets pages from outside for those who may ask for any address:
// it reaches public addresses only, whatever a name resolves to and wherever a
// page redirects, and only hosts that the operator has named.
//
//	f := fetch.New(fetch.Options{Hosts: []string{"*.example.org"}, Limit: 10 << 20})
//	page, err := f.Get(ctx, "https://docs.example.org/handbook.html")
//
// The address is checked when it is dialled, after the name was resolved, so
// that a name which resolves to something else the second time gains nothing.
// Proxies are not used. A Fetcher is safe for concurrent use.
package fetch

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"kaoju/internal/core"
)

// Options are what a Fetcher may do.
type Options struct {
	// Hosts are the names that may be asked: "docs.example.org", "*.example.org"
	// for those below it, "*" for every public one. None means that nothing is
	// ever fetched.
	Hosts   []string
	Limit   int64         // largest body, in bytes; 0 means 32 MiB
	Timeout time.Duration // of a page as a whole; 0 means 30 s
}

const (
	defaultLimit   = 32 << 20
	defaultTimeout = 30 * time.Second
	maxRedirects   = 5
	maxURL         = 2048
)

// Page is what an address answered with.
type Page struct {
	URL  string // after redirects
	Name string // a file name with an ending that fits the content
	Body []byte
}

// Fetcher gets pages. Make it with New.
type Fetcher struct {
	options Options
	client  *http.Client
	allowed func(netip.AddrPort) bool // of the address that is dialled
}

// New makes a Fetcher.
func New(o Options) *Fetcher {
	if o.Limit <= 0 {
		o.Limit = defaultLimit
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	f := &Fetcher{options: o, allowed: publicWeb}
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: f.control}
	f.client = &http.Client{
		Timeout:       o.Timeout,
		CheckRedirect: f.redirect,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: o.Timeout,
			MaxIdleConns: 4, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
		},
	}
	return f
}

// errInside stands in the chain of a refusal to dial.
var errInside = errors.New("the address is not a public one")

// control refuses connections, after the name was resolved and before anything
// is sent.
func (f *Fetcher) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !f.allowed(to) {
		return errInside
	}
	return nil
}

// Close ends idle connections.
func (f *Fetcher) Close() { f.client.CloseIdleConnections() }

// Get gets a page. What may not be fetched is a core.CodeForbidden, and the
// message does not tell what an address inside answers or whether it does.
func (f *Fetcher) Get(ctx context.Context, address string) (Page, error) {
	u, err := f.check(address)
	if err != nil {
		return Page{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return Page{}, core.Wrap(err, core.CodeInvalid, "this is not an address that can be fetched")
	}
	req.Header.Set("User-Agent", "Kaoju")
	resp, err := f.client.Do(req)
	if err != nil {
		return Page{}, f.explain(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Page{}, core.Errorf(core.CodeUnavailable, "the page answers with status %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, f.options.Limit+1))
	if err != nil {
		return Page{}, f.explain(ctx, err)
	}
	if int64(len(body)) > f.options.Limit {
		return Page{}, core.Errorf(core.CodeTooLarge, "the page is larger than the limit of %d bytes", f.options.Limit)
	}
	final := resp.Request.URL
	return Page{URL: final.String(), Name: nameOf(final, resp.Header.Get("Content-Type")), Body: body}, nil
}

// check refuses addresses before anything is resolved.
func (f *Fetcher) check(address string) (*url.URL, error) {
	if len(f.options.Hosts) == 0 {
		return nil, core.Errorf(core.CodeForbidden, "fetching pages is not switched on; the option fetch.hosts names the hosts that may be asked")
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || len(address) > maxURL || u.Host == "" || u.Opaque != "" {
		return nil, core.Errorf(core.CodeInvalid, "this is not an address like https://example.org/page")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, core.Errorf(core.CodeForbidden, "only http and https addresses can be fetched")
	}
	if u.User != nil {
		return nil, core.Errorf(core.CodeForbidden, "addresses with a user name or password are not fetched")
	}
	if !f.named(u.Hostname()) {
		return nil, core.Errorf(core.CodeForbidden, "pages of %s may not be fetched; the option fetch.hosts names the hosts that may", u.Hostname())
	}
	u.Fragment = ""
	return u, nil
}

func (f *Fetcher) named(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return slices.ContainsFunc(f.options.Hosts, func(pattern string) bool {
		pattern = strings.ToLower(pattern)
		below, wild := strings.CutPrefix(pattern, "*.")
		return pattern == "*" || pattern == host || wild && strings.HasSuffix(host, "."+below)
	})
}

// redirect checks each step of a redirection like the first address.
func (f *Fetcher) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return core.Errorf(core.CodeUnavailable, "the page redirects more than %d times", maxRedirects)
	}
	if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return core.Errorf(core.CodeForbidden, "the page redirects from https to %s", req.URL.Scheme)
	}
	_, err := f.check(req.URL.String())
	return err
}

func (f *Fetcher) explain(ctx context.Context, err error) error {
	var known *core.Error
	var timeout net.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errInside):
		return core.Wrap(err, core.CodeForbidden, "the address is not a public one; it is not fetched")
	case ctx.Err() != nil:
		return core.Wrap(err, core.CodeCanceled, "stopped while it fetched the page")
	case errors.As(err, &timeout) && timeout.Timeout():
		return core.Wrap(err, core.CodeTimeout, "the page did not come within %s", f.options.Timeout)
	}
	return core.Wrap(err, core.CodeUnavailable, "the page cannot be fetched")
}

// publicWeb lets the web's ports of public addresses through.
func publicWeb(to netip.AddrPort) bool {
	return (to.Port() == 80 || to.Port() == 443) && Public(to.Addr())
}

// special are blocks that the netip predicates do not know and that lead
// inside, to the machine's own network or to another address in disguise.
var special = [...]netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

// Public reports whether an address belongs to the public internet.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	return !slices.ContainsFunc(special[:], func(p netip.Prefix) bool { return p.Contains(a) })
}

// nameOf gives a page a file name: the last part of its path, with the ending
// that its type asks for where it has none.
func nameOf(u *url.URL, contentType string) string {
	name := path.Base(u.Path)
	if name == "/" || name == "." || name == "" {
		name = u.Hostname()
	}
	kind, _, _ := mime.ParseMediaType(contentType)
	if path.Ext(name) == "" || name == u.Hostname() {
		switch kind {
		case "text/html", "application/xhtml+xml":
			name += ".html"
		case "text/plain":
			name += ".txt"
		case "text/markdown":
			name += ".md"
		case "application/pdf":
			name += ".pdf"
		case "application/json":
			name += ".json"
		}
	}
	return name
}
