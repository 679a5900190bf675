package web_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
)

const faqFile = "问题,答案,相似问题\n年假有几天？,每年 15 天。,年假多少天\n,没有问题的答案,\n病假要证明吗？,第三天起需要。,\n年假有几天？,又一个答案。,\n没有答案的问题？,,\n"

// TestFAQ makes an FAQ base, writes an entry, tries a question, and imports a
// file of which rows are wrong.
func TestFAQ(t *testing.T) {
	for _, l := range []look{{lang: "zh"}, {lang: "en", dark: true, width: 320, height: 700}} {
		t.Run(fmt.Sprintf("%s-%d", l.lang, l.width), func(t *testing.T) { faq(t, l) })
	}
}

func faq(t *testing.T, l look) {
	zh := l.lang == "zh"
	word := func(en, chinese string) string {
		if zh {
			return chinese
		}
		return en
	}
	w := serve(t, nil)
	tb := openTab(t, w.url, l)
	tb.open("/knowledge")
	tb.click("button", word("New base", "新建知识库"))
	tb.wait("document.activeElement.matches('dialog input[type=text]')")
	tb.write("人事问答")
	tb.click("dialog .choice", word("Questions and answers", "问答库"))
	tb.shot("base-new")
	tb.axe(t)
	tb.click("dialog button", word("Create", "创建"))
	tb.see(".virtual-empty", "")
	tb.click("button", word("New entry", "新建问答"))
	tb.wait("document.activeElement.matches('dialog input[type=text]')")
	tb.write("试用期多长？")
	eval[bool](tb, "document.querySelectorAll('dialog textarea')[0].focus() ?? true")
	tb.write("试用期是几个月")
	eval[bool](tb, "document.querySelector('dialog .answer-field textarea').focus() ?? true")
	tb.write("试用期三个月。")
	tb.shot("faq-editor")
	tb.axe(t)
	tb.click("dialog button", word("Save", "保存"))
	tb.see(".faq-question", "试用期多长？")
	tb.click(".faq-try summary", "")
	tb.wait("document.querySelector('.faq-try[open] input')")
	eval[bool](tb, "document.querySelector('.faq-try input').focus() ?? true")
	tb.write("试用期是几个月")
	tb.press(enterKey)
	tb.see(".faq-found .badge", word("exact", "完全一致"))
	tb.shot("faq")
	tb.axe(t)

	tb.click("button", word("Import", "导入"))
	dir := writeFiles(t, map[string]string{"问答.csv": faqFile})
	tb.wait("document.querySelector('dialog input[type=file]')")
	must(t, chromedp.Do(tb.ctx, chromedp.SetUploadFiles(chromedp.CSS("dialog input[type=file]"), dir, chromedp.NodeReady)))
	tb.wait("document.querySelectorAll('.import-problems tbody tr').length === 3")
	rows := eval[[]string](tb, "[...document.querySelectorAll('.import-problems tbody td:first-child')].map((e) => e.textContent)")
	if fmt.Sprint(rows) != "[3 5 6]" {
		t.Errorf("the rows that are wrong: %v", rows)
	}
	said := eval[string](tb, "[...document.querySelectorAll('.import-problems tbody td:last-child')].map((e) => e.textContent).join()")
	if foreign := regexp.MustCompile("[a-z]{3,}"); zh && foreign.MatchString(said) {
		t.Errorf("not in Chinese: %s", said)
	}
	tb.shot("faq-import")
	tb.axe(t)
	tb.click("dialog .primary", word("Import", "导入"))
	tb.see(".faq-question", "病假要证明吗？")
	if zh {
		tb.see(".counts", "3 条问答")
	}
	eval[bool](tb, catchFiles)
	tb.click("button", word("Export", "导出"))
	tb.wait("document.body.dataset.saved === '1'")
	if got := eval[[]string](tb, "[window.saved[0].name, window.saved[0].text.slice(0, 2)]"); fmt.Sprint(got) != "[人事问答.xlsx PK]" {
		t.Errorf("exported %q", got)
	}
	// The new entries answer at once.
	tb.open("/")
	tb.ask("病假要证明吗？")
	tb.see(".answer .prose", "第三天起需要")
}
