package app

import (
	"fmt"
	"io"
	"net/http"
	"testing"
)

func TestInProcess(t *testing.T) {
	p := Pipe(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s at %s from %s", r.Method, r.URL.Path, r.Host, r.RemoteAddr)
	}))
	c := http.Client{Transport: p.Transport()}
	resp, err := c.Get(p.URL() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if got := string(body); got != "GET /healthz at 127.0.0.1 from 127.0.0.1:0" {
		t.Errorf("got %q", got)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(p.URL() + "/healthz"); err == nil {
		t.Error("a closed pipe still answers")
	}
}
