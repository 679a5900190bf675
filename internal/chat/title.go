package chat

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/text"
)

// Titler thinks of a title for a session. It may take its time and give
// anything: the answer never waits for it, and a title that does not pass the
// check is not used.
type Titler interface {
	Title(ctx context.Context, scope core.Scope, question string) (string, error)
}

// titling is a title on its way.
type titling struct {
	made   chan string // one title; "" where there is none
	cancel context.CancelFunc
}

// beginTitle asks the model, in the background, unless no title is due.
func (t *turn) beginTitle() {
	s := t.service
	if !t.titleDue || s.Titler == nil || t.titling != nil {
		return
	}
	// Not the turn's context: an answer that was stopped has a title too.
	ctx, cancel := context.WithTimeout(s.base, s.Limits.Turn)
	work := &titling{made: make(chan string, 1), cancel: cancel}
	t.titling = work
	s.wg.Go(func() {
		defer cancel()
		title, err := s.Titler.Title(ctx, t.request.Scope, t.request.Question)
		if err != nil {
			s.Logger.Info("the model gave no title", "session_id", t.request.SessionID, "code", core.CodeOf(err))
			title = ""
		}
		work.made <- title
	})
}

// title tells the session's title. The question has named the session already;
// a model's title takes the place of that, where it comes in time and passes
// the check.
func (t *turn) title() {
	if !t.titleDue {
		return
	}
	if t.message.State == core.MessageComplete && written(t.message.HitType) {
		t.beginTitle()
	}
	title := t.short
	if better, ok := sound(t.awaitTitle(), t.request.Question, t.message.Content); ok {
		title = t.rename(better)
	}
	t.append(core.Event{
		Type: core.EventSessionTitle, Content: title,
		Data: pipeline.Data(Title{SessionID: t.request.SessionID, Title: title}),
	})
}

// written reports whether a model wrote the answer. What was found without one
// is not worth a call for its title.
func written(h core.HitType) bool {
	return h != core.HitDirect && h != core.HitFAQExact && h != core.HitFAQ
}

// awaitTitle gives the model's title; "" where none comes. Readers wait as
// long as Limits.Title: it gives up a little earlier, so that they still hear
// the title that there is.
func (t *turn) awaitTitle() string {
	if t.titling == nil {
		return ""
	}
	defer t.titling.cancel()
	patience := time.NewTimer(t.service.Limits.Title * 5 / 6)
	defer patience.Stop()
	select {
	case title := <-t.titling.made:
		return title
	case <-patience.C:
	case <-t.service.base.Done():
	}
	return ""
}

// rename gives the session the better title, unless somebody has named it
// meanwhile, and gives the title that it has.
func (t *turn) rename(better string) string {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	session, err := t.service.Archive.UpdateSession(ctx, t.request.Scope, t.request.SessionID, func(v *core.Session) error {
		if v.Title == t.short {
			v.Title = better
		}
		return nil
	})
	if err != nil {
		t.service.Logger.Warn("a session was not named", "session_id", t.request.SessionID, "error", err)
		return t.short
	}
	return session.Title
}

// shortTitle is the longest title that is made from a question, or taken from
// a model, in characters; shortAnswer the longest answer that a title could
// give away whole.
const (
	shortTitle  = 40
	shortAnswer = 60
)

// sound cleans a model's title and reports whether it may be used: one line,
// short, in the question's language, about the question's subject, and neither
// the answer nor a piece of it that the question does not have.
func sound(title, question, answer string) (string, bool) {
	title = bare(title)
	if title == "" || strings.ContainsAny(title, "\n\r\x00") || !utf8.ValidString(title) || utf8.RuneCountInString(title) > shortTitle {
		return "", false
	}
	if language := text.DetectLanguage(title); language == text.None || foreign(language, text.DetectLanguage(question)) {
		return "", false
	}
	asked, said := wordsOf(question), wordsOf(answer)
	shared := false
	for word, number := range wordsOf(title) {
		_, known := asked[word]
		_, told := said[word]
		shared = shared || known
		if !known && (number || told && utf8.RuneCountInString(answer) <= shortAnswer) {
			return "", false
		}
	}
	return title, shared && text.Key(title) != text.Key(answer)
}

// bare takes off what models put around a title.
func bare(title string) string {
	title = strings.TrimSpace(title)
	for _, label := range []string{"标题：", "标题:", "Title:", "title:", "TITLE:"} {
		title = strings.TrimPrefix(title, label)
	}
	return strings.TrimFunc(title, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`*#“”‘’「」『』《》<>。.!！;；,，:：", r)
	})
}

// foreign reports whether a title is in the other language.
func foreign(title, question text.Language) bool {
	return title == text.English && question == text.Chinese || title == text.Chinese && question == text.English
}

// wordsOf gives the words of a text that carry meaning, and of each whether it
// is a number or a code.
func wordsOf(s string) map[string]bool {
	words := map[string]bool{}
	for _, t := range text.Terms(s) {
		if !text.IsStop(t.Text) {
			words[t.Text] = words[t.Text] || t.Kind == text.Number || t.Kind == text.Code
		}
	}
	return words
}

// Shorten makes a session's title of a question: one line, at most 40
// characters, cut at a word where there are spaces.
func Shorten(question string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, question)
	runes := []rune(strings.Join(strings.Fields(clean), " "))
	if len(runes) <= shortTitle {
		return string(runes)
	}
	cut := shortTitle - 1
	for i := cut; i > shortTitle/2; i-- {
		if runes[i] == ' ' {
			cut = i
			break
		}
	}
	return string(runes[:cut]) + "…"
}
