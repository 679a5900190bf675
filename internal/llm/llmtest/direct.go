package llmtest

import (
	"fmt"
	"io"
	"net/http"
)

// Direct gives a client that plays the script without a network, for tests that
// make thousands of calls. Gates need a network.
func (e *Endpoint) Direct() *http.Client { return &http.Client{Transport: direct{e}} }

type direct struct{ endpoint *Endpoint }

// RoundTrip gives the response whose turn it is.
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	resp, split := d.endpoint.next(r)
	body := &pieces{end: io.EOF}
	for _, s := range resp.Steps {
		switch s.Do {
		case "send":
			body.add(s.Data, &split)
		case "cut":
			body.end = io.ErrUnexpectedEOF
		default:
			return nil, fmt.Errorf("@%s needs a network", s.Do)
		}
	}
	out := &http.Response{StatusCode: resp.Status, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, Request: r}
	for _, h := range resp.Header {
		out.Header.Set(h[0], h[1])
	}
	return out, nil
}

// pieces is a body of which a read never gives more than one piece.
type pieces struct {
	list []string
	end  error
}

func (p *pieces) add(data string, split *int) {
	if *split > 0 && *split < len(data) {
		p.list = append(p.list, data[:*split])
		data, *split = data[*split:], 0
	}
	*split = max(0, *split-len(data))
	p.list = append(p.list, data)
}

// Read gives what is left of the first piece.
func (p *pieces) Read(b []byte) (int, error) {
	for len(p.list) > 0 && p.list[0] == "" {
		p.list = p.list[1:]
	}
	if len(p.list) == 0 {
		return 0, p.end
	}
	n := copy(b, p.list[0])
	p.list[0] = p.list[0][n:]
	return n, nil
}

// Close forgets the rest.
func (p *pieces) Close() error {
	p.list = nil
	return nil
}
