package synthesis

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/text"
)

// errUseless says that a model's words hold nothing that can be used: no JSON,
// a refusal, or no statement with a passage.
var errUseless = errors.New("the model's words cannot be used")

// Limits of what a model may say.
const (
	maxReply  = 200_000 // bytes
	maxTokens = 4000
	heat      = .2
	maxPoints = 20 // of a part of a document
	maxTopics = 15
	maxNames  = 10
	maxName   = 100 // characters
	maxText   = 1000
)

// read is what a model says of a part of a document.
type read struct {
	Summary string  `json:"summary"`
	Points  []point `json:"points"`
	Topics  []topic `json:"topics"`
}

// point is a statement with the passages that it rests on: their names as the
// model gives them, then their chunks.
type point struct {
	Text     string  `json:"text"`
	Passages handles `json:"passages"`
	Chunks   []chunk `json:"chunks,omitempty"`
}

// topic is what deserves a page.
type topic struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Aliases  []string `json:"aliases"`
	About    string   `json:"about"`
	Passages handles  `json:"passages"`
	Chunks   []chunk  `json:"chunks,omitempty"`
}

// chunk names a passage of a document.
type chunk struct {
	Document string `json:"d"`
	ID       string `json:"c"`
}

// handles are numbers of passages, however a model writes them: "p1", 1, "[p1]".
type handles []int

var digits = regexp.MustCompile(`\d{1,6}`)

// UnmarshalJSON takes a list, or one name alone.
func (h *handles) UnmarshalJSON(data []byte) error {
	*h = nil
	for _, d := range digits.FindAllString(string(data), maxPoints) {
		n, err := strconv.Atoi(d)
		if err != nil {
			return err
		}
		*h = append(*h, n)
	}
	return nil
}

// written is what a model says of a topic.
type written struct {
	Summary string `json:"summary"`
	Content string `json:"content"`
}

// object decodes the first JSON object in words, whatever stands around it.
func object(words string, into any) error {
	for at := strings.IndexByte(words, '{'); at >= 0; {
		if json.NewDecoder(strings.NewReader(words[at:])).Decode(into) == nil {
			return nil
		}
		next := strings.IndexByte(words[at+1:], '{')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return errUseless
}

// ask asks the model and has its words used; where they are of no use, once
// more. A model that is away is tried again, a few times.
func (w *Worker) ask(ctx context.Context, system, user string, use func(words string) error) error {
	useless := 0
	for attempt := 1; ; attempt++ {
		words, err := w.stream(ctx, system, user)
		if err == nil {
			err = use(words)
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case refused(err):
			if useless++; useless > 1 {
				return errUseless
			}
		case !mayPass(core.CodeOf(err)) || attempt > maxAttempts:
			return err
		default:
			w.deps.Log.Warn("the model that writes wiki pages is asked again later", "error", err)
			w.sleep(ctx, attempt)
		}
	}
}

// refused reports whether a failure is about this text, and not about the model.
func refused(err error) bool {
	return errors.Is(err, errUseless) || errors.Is(err, llm.ErrNoText) || errors.Is(err, llm.ErrFiltered) || errors.As(err, new(*llm.ContextLengthError))
}

// mayPass reports whether a failure with this code is worth another attempt.
func mayPass(code core.Code) bool {
	return code == core.CodeUnavailable || code == core.CodeTimeout || code == core.CodeBusy
}

func (w *Worker) stream(ctx context.Context, system, user string) (string, error) {
	chat := w.deps.Chat()
	if chat == nil {
		return "", core.Wrap(errNoModel(), core.CodeInvalid, "there is no chat model any more; configure one and resume the job")
	}
	var reply strings.Builder
	err := chat.Stream(ctx, llm.ChatRequest{
		Messages:    []llm.Message{{Role: "system", Content: system}, {Role: "user", Content: user}},
		Temperature: heat, MaxTokens: maxTokens, JSON: true,
	}, func(d llm.Delta) error {
		if reply.WriteString(d.Text); reply.Len() > maxReply {
			return errUseless
		}
		return nil
	})
	return reply.String(), err
}

// line puts words of a model on one line of bounded length.
func line(s string, limit int) string {
	return text.Truncate(strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " "), limit)
}
