package llmtest

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/habits/*.txt
var habits embed.FS

// Script is a list of responses, one a call; the last answers all further
// calls.
type Script []Response

// Response is what the endpoint does with one call.
type Response struct {
	Status int
	Header [][2]string
	Steps  []Step
}

// Step is one thing that happens while a body is sent.
type Step struct {
	Do   string // "send", "gate", "gone" or "cut"
	Data string // the bytes to send, or the name of the gate
}

// Len is how many bytes the body has.
func (r Response) Len() int {
	n := 0
	for _, s := range r.Steps {
		if s.Do == "send" {
			n += len(s.Data)
		}
	}
	return n
}

// Habits gives the names of all scripts that come with the package, in order.
func Habits(t testing.TB) []string {
	t.Helper()
	entries, err := habits.ReadDir("testdata/habits")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// Habit gives a script that comes with the package.
func Habit(t testing.TB, name string) Script {
	t.Helper()
	text, err := habits.ReadFile(path.Join("testdata/habits", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// Parse reads a script.
func Parse(text string) (Script, error) {
	var out Script
	for _, part := range strings.Split("\n"+text, "\n===\n") {
		r, err := parseResponse(strings.TrimPrefix(part, "\n"))
		if err != nil {
			return nil, fmt.Errorf("response %d: %w", len(out)+1, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func parseResponse(text string) (Response, error) {
	r := Response{Status: 200}
	if !strings.HasSuffix(text, "\n") {
		text += "\n" // it went with the line that parts the responses
	}
	head, body, found := strings.Cut(text, "---\n")
	if !found {
		return r, fmt.Errorf("no line of three dashes")
	}
	newline := "\n"
	for _, line := range strings.Split(head, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		var err error
		switch word {
		case "", "#":
		case "status":
			r.Status, err = strconv.Atoi(rest)
		case "header":
			name, value, _ := strings.Cut(rest, ":")
			r.Header = append(r.Header, [2]string{name, strings.TrimSpace(value)})
		case "newline":
			newline = map[string]string{"crlf": "\r\n", "cr": "\r", "lf": "\n"}[rest]
		default:
			err = fmt.Errorf("unknown directive")
		}
		if err != nil {
			return r, fmt.Errorf("line %q: %w", line, err)
		}
	}
	return r, r.parseBody(body, newline)
}

func (r *Response) parseBody(body, newline string) error {
	if body == "" {
		return nil
	}
	for _, line := range strings.Split(strings.TrimSuffix(body, "\n"), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "@raw":
			data, err := strconv.Unquote(rest)
			if err != nil {
				return fmt.Errorf("line %q: %w", line, err)
			}
			r.send(data)
		case "@gate", "@gone", "@cut":
			r.Steps = append(r.Steps, Step{Do: word[1:], Data: rest})
		default:
			r.send(line + newline)
		}
	}
	return nil
}

// send appends bytes to the step before if that sends too.
func (r *Response) send(data string) {
	if n := len(r.Steps); n > 0 && r.Steps[n-1].Do == "send" {
		r.Steps[n-1].Data += data
		return
	}
	r.Steps = append(r.Steps, Step{Do: "send", Data: data})
}
