package fetch

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
)

// stub serves pages on this machine and lets the fetcher reach them alone.
func stub(t *testing.T, o Options, handler http.HandlerFunc) (f *Fetcher, base string) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	own := netip.MustParseAddrPort(strings.TrimPrefix(s.URL, "http://"))
	f = New(o)
	t.Cleanup(f.Close)
	f.allowed = func(to netip.AddrPort) bool { return to == own || publicWeb(to) }
	return f, s.URL
}

// A77: addresses inside are refused before anything is sent, however they are
// written.
func TestRefusesAddressesInside(t *testing.T) {
	reached := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer s.Close()
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	f := New(Options{Hosts: []string{"*"}, Timeout: 3 * time.Second})
	for _, address := range []string{
		s.URL, "http://127.0.0.1" + port, "http://127.0.0.1", "http://[::1]", "http://[::1]" + port, "http://localhost" + port, "http://localhost",
		"http://169.254.169.254/latest/meta-data", "http://10.0.0.1", "http://192.168.1.1", "http://172.16.0.1", "http://100.64.0.1",
		"http://0.0.0.0" + port, "http://[::ffff:127.0.0.1]", "http://[fe80::1]", "http://[fd00::1]", "http://[64:ff9b::7f00:1]",
		"http://[2002:7f00:1::]", "http://8.8.8.8:22",
	} {
		_, err := f.Get(t.Context(), address)
		if core.CodeOf(err) != core.CodeForbidden || !strings.Contains(err.Error(), "not a public one") {
			t.Errorf("%s: %v", address, err)
		}
	}
	// Other spellings of 127.0.0.1 depend on the system's resolver; none may
	// get through.
	for _, address := range []string{"http://0x7f000001" + port, "http://2130706433" + port, "http://0177.0.0.1" + port, "http://127.1" + port} {
		if _, err := f.Get(t.Context(), address); err == nil {
			t.Errorf("%s was fetched", address)
		}
	}
	if reached {
		t.Error("a server inside was asked")
	}
}

func TestRefusesByForm(t *testing.T) {
	f := New(Options{Hosts: []string{"docs.example.org", "*.example.com"}})
	for address, code := range map[string]core.Code{
		"": core.CodeInvalid, "docs.example.org": core.CodeInvalid, "http://": core.CodeInvalid, "http:x": core.CodeInvalid,
		"http://" + strings.Repeat("x", maxURL): core.CodeInvalid,
		"ftp://docs.example.org/x":              core.CodeForbidden, "file:///etc/passwd": core.CodeInvalid,
		"gopher://docs.example.org":    core.CodeForbidden,
		"https://u:p@docs.example.org": core.CodeForbidden, "https://example.org": core.CodeForbidden,
		"https://example.com": core.CodeForbidden, "https://evilexample.com": core.CodeForbidden,
		"https://docs.example.org.evil.net": core.CodeForbidden,
	} {
		if _, err := f.check(address); core.CodeOf(err) != code {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, address := range []string{"https://docs.example.org", "HTTPS://DOCS.EXAMPLE.ORG./x#y", "http://a.b.example.com"} {
		if _, err := f.check(address); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := New(Options{}).Get(t.Context(), "https://docs.example.org"); core.CodeOf(err) != core.CodeForbidden || !strings.Contains(err.Error(), "fetch.hosts") {
		t.Errorf("switched off: %v", err)
	}
}

// A page outside that redirects inside gains nothing.
func TestRedirects(t *testing.T) {
	f, base := stub(t, Options{Hosts: []string{"127.0.0.1", "10.0.0.1", "localhost"}, Timeout: 3 * time.Second}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/inside":
			http.Redirect(w, r, "http://10.0.0.1/secret", http.StatusFound)
		case "/scheme":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/elsewhere":
			http.Redirect(w, r, "http://other.example.org/", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/moved":
			http.Redirect(w, r, "/guide", http.StatusMovedPermanently)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<p>hello</p>"))
		}
	})
	for path, code := range map[string]core.Code{
		"/inside": core.CodeForbidden, "/scheme": core.CodeInvalid, "/elsewhere": core.CodeForbidden, "/loop": core.CodeUnavailable,
	} {
		if _, err := f.Get(t.Context(), base+path); core.CodeOf(err) != code {
			t.Errorf("%s: %v", path, err)
		}
	}
	page, err := f.Get(t.Context(), base+"/moved")
	if err != nil || page.Name != "guide.html" || string(page.Body) != "<p>hello</p>" || page.URL != base+"/guide" {
		t.Errorf("page %+v, %v", page, err)
	}
}

func TestBounds(t *testing.T) {
	f, base := stub(t, Options{Hosts: []string{"*"}, Limit: 1000, Timeout: 300 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			_, _ = w.Write(make([]byte, 1001))
		case "/slow":
			<-r.Context().Done()
		default:
			http.NotFound(w, r)
		}
	})
	for path, code := range map[string]core.Code{"/large": core.CodeTooLarge, "/slow": core.CodeTimeout, "/none": core.CodeUnavailable} {
		if _, err := f.Get(t.Context(), base+path); core.CodeOf(err) != code {
			t.Errorf("%s: %v", path, err)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Get(over, base+"/slow"); core.CodeOf(err) != core.CodeCanceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "::ffff:10.0.0.1": false, "224.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false,
		"::": false, "::7f00:1": false, "ff02::1": false, "fec0::1": false, "2001:db8::1": false, "fe80::1%eth0": false,
	} {
		if got := Public(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}
