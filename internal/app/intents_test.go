package app

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/registry"
)

func registryDraft(id string, kind core.ModelKind, url string) registry.Draft {
	return registry.Draft{ID: id, Kind: kind, Name: id, BaseURL: url, Default: true}
}

// session opens a conversation over the API.
func (d desk) session() string {
	d.t.Helper()
	var s core.Session
	code, body := d.call(http.MethodPost, "/api/v1/sessions", `{}`)
	if err := json.Unmarshal([]byte(body), &s); err != nil || code >= 300 {
		d.t.Fatalf("%d %s", code, body)
	}
	return s.ID
}

// says asks in a session, with pictures, and gives the stored answer.
func (d desk) says(session, question string, pictures ...string) core.Message {
	d.t.Helper()
	images := make([]map[string]string, len(pictures))
	for i, p := range pictures {
		images[i] = map[string]string{"data": p}
	}
	body, err := json.Marshal(map[string]any{"query": question, "images": images})
	if err != nil {
		d.t.Fatal(err)
	}
	if code, got := d.call(http.MethodPost, "/api/v1/sessions/"+session+"/knowledge-qa", string(body)); code >= 300 {
		d.t.Fatalf("%d %s", code, got)
	}
	list, err := d.db.ListMessages(d.t.Context(), core.OwnerScope(), session, 0, 100)
	if err != nil || len(list) == 0 {
		d.t.Fatal(err, len(list))
	}
	last := list[0]
	for _, m := range list {
		if m.Role == core.RoleAssistant && m.Order >= last.Order {
			last = m
		}
	}
	return last
}

// A question about a picture is answered from the documents where they do, and
// else from the picture, which the next question may speak of without bringing
// it again. Without a chat model what the picture shows is told as it is.
func TestQuestionsAboutAPicture(t *testing.T) {
	eyes := llmtest.StartTCP(t, nil, llmtest.Answer(func(llmtest.Request) llmtest.Script { return streamOf("一只橘猫趴在红色沙发上") }))
	for _, speaks := range []bool{false, true} {
		chat := llmtest.StartTCP(t, nil, llmtest.Answer(func(r llmtest.Request) llmtest.Script {
			switch {
			case strings.Contains(r.Body, "标题"):
				return streamOf("图片")
			case strings.Contains(r.Body, "rewrite_query"):
				return streamOf(`{"rewrite_query":"","intent":"image_only"}`)
			}
			if !strings.Contains(r.Body, "<picture>") && !strings.Contains(r.Body, `u003cpicture`) {
				t.Errorf("the writer is not told what the picture shows: %s", r.Body)
			}
			return streamOf("图片里有一只猫。")
		}))
		d := newDesk(t, leaveRules)
		if _, err := d.registry.Create(t.Context(), registryDraft("eyes", core.ModelVision, eyes.URL)); err != nil {
			t.Fatal(err)
		}
		if speaks {
			if _, err := d.registry.Create(t.Context(), registryDraft("chat", core.ModelChat, chat.URL)); err != nil {
				t.Fatal(err)
			}
		}
		s := d.session()
		for _, pictures := range [][]string{{dotted(t)}, nil} {
			m := d.says(s, "这张图片里是什么？", pictures...)
			want := "资料中没有对应的内容。图片中是（由模型读出）：一只橘猫趴在红色沙发上"
			if speaks {
				want = "图片里有一只猫。"
			}
			if m.Content != want || len(m.Citations) != 0 {
				t.Errorf("a chat model %t, %d pictures: %q, %d citations", speaks, len(pictures), m.Content, len(m.Citations))
			}
		}
	}
}

// "This document" is that of the last answer; where none was cited, and where
// the user chose documents, nothing is narrowed.
func TestQuestionsAboutTheDocumentAtHand(t *testing.T) {
	d := newDesk(t, map[string]string{
		"差旅.md": "# 差旅\n\n差旅住宿标准为每晚 450 元。审批由部门负责人负责。\n",
		"采购.md": "# 采购\n\n采购审批由总经理负责，超过 10 万元须招标。\n",
	})
	s := d.session()
	if m := d.says(s, "差旅住宿标准是多少？"); !strings.Contains(m.Content, "450") {
		t.Fatalf("%q", m.Content)
	}
	m := d.says(s, "根据这份文档，审批由谁负责？")
	if !strings.Contains(m.Content, "部门负责人") || strings.Contains(m.Content, "总经理") {
		t.Errorf("%q", m.Content)
	}
	for _, r := range m.References {
		if r.Document != "差旅.md" {
			t.Errorf("%s was found too", r.Document)
		}
	}
	other := d.says(d.session(), "根据这份文档，采购审批由谁负责？")
	if !slices.ContainsFunc(other.References, func(r core.Reference) bool { return r.Document == "采购.md" }) {
		t.Errorf("without a document at hand: %+v", other.References)
	}
}

// "What do you mean" is no question of its own: what was asked before is
// answered again.
func TestWhatDoYouMean(t *testing.T) {
	d := newDesk(t, leaveRules)
	s := d.session()
	d.says(s, "员工年假有几天？")
	for _, question := range []string{"没看懂", "what do you mean?"} {
		if m := d.says(s, question); !strings.Contains(m.Content, "5 天") || m.HitType == core.HitInsufficient {
			t.Errorf("%s: %q", question, m.Content)
		}
	}
	if m := d.says(d.session(), "没看懂"); m.HitType != core.HitInsufficient {
		t.Errorf("without anything before it: %s %q", m.HitType, m.Content)
	}
}

// Rules complete a follow-up with a name that the last picture showed.
func TestAPictureNamesWhatIsSpokenOf(t *testing.T) {
	eyes := llmtest.StartTCP(t, nil, llmtest.Answer(func(llmtest.Request) llmtest.Script { return streamOf("设备铭牌：QTR-7310") }))
	d := newDesk(t, map[string]string{"7310.md": "# QTR-7310\n\nQTR-7310 的保修期为三年。\n", "7320.md": "# QTR-7320\n\nQTR-7320 的保修期为一年。\n"})
	if _, err := d.registry.Create(t.Context(), registryDraft("eyes", core.ModelVision, eyes.URL)); err != nil {
		t.Fatal(err)
	}
	s := d.session()
	d.says(s, "这张图片里是什么设备？", dotted(t))
	if m := d.says(s, "它的保修期是多久？"); !strings.Contains(m.Content, "三年") || strings.Contains(m.Content, "一年") {
		t.Errorf("%q", m.Content)
	}
}
