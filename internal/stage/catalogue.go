package stage

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/text"
)

// Titles finds documents by the words of their names and titles.
type Titles interface {
	// FindDocuments gives the first limit ready documents of the bases, by
	// name, whose name or title holds every word, and how many there are.
	FindDocuments(ctx context.Context, baseIDs, words []string, limit int) ([]core.Document, int, error)
}

// listed is how many documents an answer names.
const listed = 20

// catalogueQuestions are questions about the collection itself: which
// documents there are, all or about a topic. The whole question must fit, so
// that a question about what a document says is none.
var catalogueQuestions = []*regexp.Regexp{
	regexp.MustCompile(`^(?:请问|请)?(?:知识库|资料库|这里|你)?(?:里|中|里面)?(?:都)?(?:有哪些|有什么|有没有|有多少|列出|列一下)(?:所有|全部)?(?:(?:关于|有关|涉及|跟)(.+?)(?:有关|相关)?的?)?(?:文件|文档|资料|文章)(?:吗|呢)?$`),
	regexp.MustCompile(`^(?:请问|请)?(?:关于|有关|涉及)(.+?)的?(?:文件|文档|资料|文章)(?:都)?(?:有哪些|有什么|有吗|有几份|有多少)(?:呢)?$`),
	regexp.MustCompile(`^(?:please )?(?:which|what|how many) (?:documents|files|articles)(?: do you have| are there| exist| are available)?(?: (?:about|on|regarding|concerning) (.+?))?(?: do you have| are there| exist)?$`),
	regexp.MustCompile(`^(?:please )?(?:list|show me|show) (?:me )?(?:all )?(?:the )?(?:documents|files|articles)(?: (?:about|on|regarding|concerning) (.+))?$`),
	regexp.MustCompile(`^(?:do you have|are there) (?:any )?(?:documents|files|articles)(?: (?:about|on|regarding|concerning) (.+))?$`),
}

// Catalogue answers questions about the collection with a list of titles.
// Where no title fits, the search goes on: the text may still say something.
func Catalogue(titles Titles) pipeline.Plugin {
	return step{"catalogue", pipeline.StageRoute, func(ctx context.Context, t *pipeline.Turn) error {
		topic, ok := catalogueTopic(t.Request.Question)
		bases := t.Bases.Value()
		if !ok || t.Request.RetrieveOnly || len(bases) == 0 {
			return nil
		}
		ids := make([]string, len(bases))
		for i, b := range bases {
			ids[i] = b.ID
		}
		documents, total, err := titles.FindDocuments(ctx, ids, topicWords(topic), listed)
		if err != nil {
			return err
		}
		if total == 0 {
			return nil
		}
		t.Note(pipeline.StageRoute, "catalogue", strconv.Itoa(total))
		return answerCatalogue(ctx, t, documents, listing(t.Request.Question, topic, documents, total))
	}}
}

// catalogueTopic gives what a question about the collection is about; empty
// for the whole of it.
func catalogueTopic(question string) (topic string, ok bool) {
	q := strings.TrimRight(text.Normalize(question), " ?!。.")
	for _, pattern := range catalogueQuestions {
		if m := pattern.FindStringSubmatch(q); m != nil {
			return strings.TrimSpace(m[1]), true
		}
	}
	return "", false
}

func topicWords(topic string) []string {
	var words []string
	for _, token := range text.Tokenize(topic) {
		if !text.IsStop(token.Text) {
			words = append(words, token.Text)
		}
	}
	if len(words) == 0 && topic != "" {
		words = []string{topic}
	}
	return words
}

func answerCatalogue(ctx context.Context, t *pipeline.Turn, documents []core.Document, words string) error {
	refs := make([]core.Reference, len(documents))
	for i, d := range documents {
		refs[i] = core.Reference{DocumentID: d.ID, BaseID: d.BaseID, Document: d.Name, Title: title(d), Score: 1}
	}
	if err := publishReferences(ctx, t, refs); err != nil {
		return err
	}
	return answerDirectly(ctx, t, words)
}

// listing writes the titles in the language of the question.
func listing(question, topic string, documents []core.Document, total int) string {
	var b strings.Builder
	english := text.DetectLanguage(question) == text.English
	switch {
	case english && topic != "":
		fmt.Fprintf(&b, "Documents whose title mentions “%s”: %d.", topic, total)
	case english:
		fmt.Fprintf(&b, "Documents: %d.", total)
	case topic != "":
		fmt.Fprintf(&b, "标题涉及“%s”的文件共 %d 份：", topic, total)
	default:
		fmt.Fprintf(&b, "文件共 %d 份：", total)
	}
	for _, d := range documents {
		fmt.Fprintf(&b, "\n- %s", d.Name)
	}
	if rest := total - len(documents); rest > 0 && english {
		fmt.Fprintf(&b, "\n- and %d more", rest)
	} else if rest > 0 {
		fmt.Fprintf(&b, "\n- 另有 %d 份", rest)
	}
	return b.String()
}
