package mail

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

func parser() *parse.Parser {
	return parse.New(map[string]parse.Reader{parse.FormatEML: Reader{}})
}

func read(t testing.TB, mail string) parse.Document {
	t.Helper()
	doc, err := parser().Parse(t.Context(), parse.Input{Name: "a.eml", Data: []byte(strings.ReplaceAll(mail, "\n", "\r\n"))})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func outline(doc parse.Document) []string {
	var out []string
	for _, b := range doc.Blocks {
		kind := string(b.Kind)
		if b.Kind == parse.Heading {
			kind += strings.Repeat("#", b.Level)
		}
		out = append(out, kind+": "+b.Text)
	}
	return out
}

// mixed makes a message of parts, each with its headers.
func mixed(kind string, parts ...string) string {
	return "From: a@x.org\nSubject: S\nMIME-Version: 1.0\nContent-Type: multipart/" + kind + "; boundary=\"b-" + kind + "\"\n\n" +
		"--b-" + kind + "\n" + strings.Join(parts, "\n--b-"+kind+"\n") + "\n--b-" + kind + "--\n"
}

func file(name, content string) string {
	return fmt.Sprintf("Content-Type: application/octet-stream\nContent-Disposition: attachment; filename=\"%s\"\nContent-Transfer-Encoding: base64\n\n%s",
		name, base64.StdEncoding.EncodeToString([]byte(content)))
}

func TestMail(t *testing.T) {
	gbk, _ := simplifiedchinese.GBK.NewEncoder().String("会议改到下周三下午，请各位准时参加，地点不变。")
	big5, _ := traditionalchinese.Big5.NewEncoder().String("夫九州之人，言語不同，生民已來，固常然矣。自春秋標齊言之傳，離騷目楚詞之經。")
	const plain, page = "Content-Type: text/plain\n\nplain words", "Content-Type: text/html\n\n<p>html <b>words</b></p>"
	const head = "heading#: S"
	const lines = "paragraph: Subject: S\nFrom: a@x.org"
	for _, c := range []struct {
		name, mail string
		want       []string
	}{
		{"plain", "From: 张三 <a@x.org>\nTo: b@x.org\nDate: Tue, 1 Oct 2024 12:34:56 +0800\nMIME-Version: 1.0\nSubject: S\n\n你好。\n\n再见。\n",
			[]string{head, "paragraph: Subject: S\nFrom: 张三 <a@x.org>\nTo: b@x.org\nDate: Tue, 1 Oct 2024 12:34:56 +0800", "paragraph: 你好。", "paragraph: 再见。"}},
		{"text before HTML", mixed("alternative", plain, page), []string{head, lines, "paragraph: plain words"}},
		{"HTML where there is no text", mixed("alternative", page), []string{head, lines, "paragraph: html words"}},
		{"HTML where the text is a notice", mixed("alternative", "Content-Type: text/plain\n\nsee HTML", "Content-Type: text/html\n\n<h1>T</h1><p>"+strings.Repeat("long ", 20)+"</p>"),
			[]string{head, lines, "heading##: T", "paragraph: " + strings.TrimSpace(strings.Repeat("long ", 20))}},
		{"pictures and signatures", mixed("mixed", plain, "Content-Type: image/png\nContent-ID: <p>\n\nxx", "Content-Type: application/pgp-signature; name=s.asc\n\nxx"),
			[]string{head, lines, "paragraph: plain words"}},
		{"attachments", mixed("mixed", plain, file("=?GBK?B?sai83C5tZA==?=", "# 价目\n\n苹果五元。")),
			[]string{head, lines, "paragraph: plain words", "heading##: 报架.md", "heading###: 价目", "paragraph: 苹果五元。"}},
		{"a message in a message", mixed("mixed", plain, "Content-Type: message/rfc822\n\nFrom: c@x.org\nSubject: 内\nMIME-Version: 1.0\n\n转发的话。"),
			[]string{head, lines, "paragraph: plain words", "heading##: message.eml", "heading###: 内", "paragraph: Subject: 内\nFrom: c@x.org", "paragraph: 转发的话。"}},
		{"no boundary", "Subject: S\nMIME-Version: 1.0\nContent-Type: multipart/mixed\n\nwords", []string{head, "paragraph: Subject: S", "paragraph: words"}},
		{"a wrong claim", "Content-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(big5)),
			[]string{"paragraph: 夫九州之人，言語不同，生民已來，固常然矣。自春秋標齊言之傳，離騷目楚詞之經。"}},
		{"no claim", "Subject: S\nMIME-Version: 1.0\n\n" + gbk, []string{head, "paragraph: Subject: S", "paragraph: 会议改到下周三下午，请各位准时参加，地点不变。"}},
		{"quoted printable", "Subject: S\nContent-Type: text/plain; charset=gb2312\nContent-Transfer-Encoding: quoted-printable\n\n=C4=E3=\n=BA=C3",
			[]string{head, "paragraph: Subject: S", "paragraph: 你好"}},
		{"cut off in base64", "Subject: S\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n5L2g5aW9!!",
			[]string{head, "paragraph: Subject: S", "paragraph: 你好"}},
		{"out of a mailbox", "From a@x.org Tue Oct 1 12:34:56 2024\nSubject: S\nMIME-Version: 1.0\n\nwords", []string{head, "paragraph: Subject: S", "paragraph: words"}},
	} {
		if got := outline(read(t, c.mail)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestHeaderText(t *testing.T) {
	gbk, _ := simplifiedchinese.GBK.NewEncoder().String("关于二〇二四年度部门预算安排的通知")
	for in, want := range map[string]string{
		"plain":                                     "plain",
		"=?UTF-8?B?5L2g5aW9?=":                      "你好",
		"=?utf-8?Q?a_=E4=BD=A0?= b":                 "a 你 b",
		"=?UTF-8?B?5L2g?= =?UTF-8?B?5aW9?=":         "你好",
		"=?UTF-8?B?5L2g5Q==?=\r\n =?UTF-8?B?pb0=?=": "你好", // cut inside a character
		"=?gb2312?B?xOM=?= =?utf-8?B?5aW9?=":        "你好",
		"Re: =?utf-8*zh?Q?=E4=BD=A0?=":              "Re: 你",
		gbk:                                         "关于二〇二四年度部门预算安排的通知",
		"=?utf-8?Q?=4?= =?utf-8?B?%?=":              "=4%",
		"a\x00b\nc":                                 "ab c",
	} {
		if got := headerText(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// One attachment's failure is a warning; the depth of messages is bounded.
func TestAttachmentsThatFail(t *testing.T) {
	doc := read(t, mixed("mixed", "Content-Type: text/plain\n\nwords", file("a.bin", "\x7FELF\x00\x00\x00\x01"), file("b.md", "好")))
	if len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "a.bin") || !strings.Contains(doc.Text(), "好") {
		t.Errorf("got %q with %q", outline(doc), doc.Warnings)
	}
	inner := "innermost"
	for i := range 6 {
		inner = mixed("mixed", "Content-Type: text/plain\n\nlevel "+fmt.Sprint(i), file("m.eml", inner))
	}
	doc = read(t, inner)
	if len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "deep") || strings.Contains(doc.Text(), "level 1") || !strings.Contains(doc.Text(), "level 2") {
		t.Errorf("got %q with %q", outline(doc), doc.Warnings)
	}
	big := mixed("mixed", file("a.txt", strings.Repeat("words ", 300)), file("b.txt", strings.Repeat("words ", 300)))
	_, err := parser().WithLimits(parse.Limits{MaxText: 2000}).Parse(t.Context(), parse.Input{Data: []byte(big)})
	if core.CodeOf(err) != core.CodeTooLarge {
		t.Errorf("too much text in all: %v", err)
	}
}

func FuzzMail(f *testing.F) {
	f.Add([]byte(mixed("alternative", "Content-Type: text/plain\n\nx", "Content-Type: text/html\n\n<p>x")))
	f.Add([]byte(mixed("mixed", file("a.md", "# x"), "Content-Type: message/rfc822\n\nSubject: =?x?B?y?=\n\nz")))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := parser().WithLimits(parse.Limits{MaxText: 1 << 20})
		if _, err := p.ReadAs(t.Context(), parse.FormatEML, parse.Input{Data: data}); err != nil && core.CodeOf(err) == core.CodeInternal {
			t.Errorf("an error without a code: %v", err)
		}
	})
}
