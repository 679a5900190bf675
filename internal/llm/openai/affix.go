package openai

import (
	"strings"
	"unicode/utf8"
)

// known lists, by a part of the model's name in lower case, the affixes that
// the model's makers prescribe; the first that fits holds. The sentences are
// part of what the models were trained on.
var known = []struct {
	part string
	use  Affixes
}{
	{"e5-mistral", Affixes{QueryPrefix: instruct + "\nQuery: "}},
	{"multilingual-e5-large-instruct", Affixes{QueryPrefix: instruct + "\nQuery: "}},
	{"e5-", Affixes{QueryPrefix: "query: ", PassagePrefix: "passage: "}},
	{"qwen3-embedding", Affixes{QueryPrefix: instruct + "\nQuery:"}},
	{"bge-m3", Affixes{}},
	{"bge-small-zh", Affixes{QueryPrefix: bgeChinese}},
	{"bge-base-zh", Affixes{QueryPrefix: bgeChinese}},
	{"bge-large-zh", Affixes{QueryPrefix: bgeChinese}},
	{"bge-small-en", Affixes{QueryPrefix: bgeEnglish}},
	{"bge-base-en", Affixes{QueryPrefix: bgeEnglish}},
	{"bge-large-en", Affixes{QueryPrefix: bgeEnglish}},
	{"mxbai-embed-large", Affixes{QueryPrefix: bgeEnglish}},
	{"nomic-embed-text", Affixes{QueryPrefix: "search_query: ", PassagePrefix: "search_document: "}},
}

const (
	instruct   = "Instruct: Given a web search query, retrieve relevant passages that answer the query"
	bgeChinese = "为这个句子生成表示以用于检索相关文章："
	bgeEnglish = "Represent this sentence for searching relevant passages: "
)

// AffixesOf gives the affixes that an embedding model's makers prescribe, by
// its name; none for an unknown model.
func AffixesOf(model string) Affixes {
	name := strings.ToLower(model)
	for _, k := range known {
		if strings.Contains(name, k.part) {
			return k.use
		}
	}
	return Affixes{}
}

func (a Affixes) query(s string) string   { return a.QueryPrefix + s + a.QuerySuffix }
func (a Affixes) passage(s string) string { return a.PassagePrefix + s + a.PassageSuffix }

// cut gives at most n runes of s. Bytes that are not UTF-8 are replaced: JSON
// cannot carry them.
func cut(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	seen := 0
	for i := range s {
		if seen == n {
			return s[:i]
		}
		seen++
	}
	return s
}
