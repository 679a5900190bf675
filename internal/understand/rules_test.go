package understand_test

import (
	"strings"
	"testing"

	"kaoju/internal/pipeline"
	"kaoju/internal/understand"
)

// after understands the last of the messages, which are questions, after the
// others; a message "question => answer" has its answer.
func after(t *testing.T, messages ...string) pipeline.Understanding {
	t.Helper()
	var said []pipeline.Round
	for _, m := range messages[:len(messages)-1] {
		q, a, _ := strings.Cut(m, " => ")
		said = append(said, pipeline.Round{Question: q, Answer: a})
	}
	u, err := understand.Rules{}.Understand(t.Context(), messages[len(messages)-1], said)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestFollowUpsAreCompleted(t *testing.T) {
	tests := []struct{ said, question, want string }{
		// Another thing in the place of the last one (A34, A35).
		{"年假几天", "那病假呢", "病假几天"},
		{"年假几天？", "病假呢？", "病假几天"},
		{"甲产品支持离线部署吗", "乙产品呢", "乙产品支持离线部署吗"},
		{"北京分公司的电话是多少", "那上海分公司呢", "上海分公司的电话是多少"},
		{"正式员工年假有几天", "实习生呢", "实习生年假有几天"},
		{"年假有几天", "那实习生呢", "实习生年假有几天"},
		{"年假几天|那病假呢", "产假呢", "产假几天"},
		{"Does product A support offline deployment?", "And product B?", "Does product B support offline deployment?"},
		{"How many days of annual leave do staff get?", "and for interns?", "How many days of annual leave do interns get?"},
		{"How many days of leave are there for staff?", "and for interns?", "How many days of leave are there for interns?"},
		{"How many days of annual leave do staff get?|and for interns?", "What about sick leave?", "How many days of sick leave do interns get?"},
		{"Is travel by taxi paid?", "and for interns?", "Is travel by taxi paid for interns?"},
		{"How long is annual leave?", "What about sick leave?", "How long is sick leave?"},
		{"How fast is the Boeing 777?", "Interesting. How about the Airbus A380?", "How fast is the Airbus A380?"},
		// Words that point back.
		{"甲产品支持离线部署吗", "它多少钱", "甲产品多少钱"},
		{"甲产品支持离线部署吗", "其费用是多少", "甲产品的费用是多少"},
		{"甲产品支持离线部署吗", "这个产品多少钱", "甲产品多少钱"},
		{"怎么申请年假", "这个流程要多久", "年假的流程要多久"},
		{"3号锅炉归哪个班组", "它的电话是多少", "3号锅炉的电话是多少"},
		{"What is the Lite plan?", "How much does it cost?", "How much does Lite plan cost?"},
		{"Who is Patti LuPone?", "What are her film credits?", "What are Patti LuPone's film credits?"},
		{"Who won the prize? => The award went to Donna Haraway in May.", "When was she honoured?", "When was Donna Haraway honoured?"},
		{"Who is Johnny Bench?", "Did Bench make it into Cooperstown?", "Did Johnny Bench make it into Cooperstown?"},
		{"who led the quit india movement", "when did the movement end", "when did the quit india movement end"},
		// The subject is missing.
		{"年假有几天", "怎么申请", "年假怎么申请"},
		{"年假有几天", "需要什么材料？", "年假需要什么材料？"},
		{"What is the SEC filing?", "What are the requirements?", "What are the requirements of SEC filing?"},
		// More of the same.
		{"年假有几天", "为什么？", "年假有几天（为什么）"},
		{"年假有几天", "详细说说", "年假有几天（请详细说明）"},
		{"Is annual leave paid?", "Why?", "Why: Is annual leave paid?"},
		{"Is annual leave paid?", "Tell me more", "Tell me more: Is annual leave paid?"},
		// Small talk between the two changes nothing.
		{"年假几天|谢谢", "那病假呢", "病假几天"},
	}
	for _, tt := range tests {
		u := after(t, append(strings.Split(tt.said, "|"), tt.question)...)
		if u.Question != tt.want || !u.Rewritten || u.Reason == "" {
			t.Errorf("%s → %s\n got %q (%s)\nwant %q", tt.said, tt.question, u.Question, u.Reason, tt.want)
		}
	}
}

// A37: what stands alone is left alone, whatever was said before.
func TestAnotherTopicPullsNothingIn(t *testing.T) {
	leave := []string{"年假几天", "病假要提前多久申请", "事假扣工资吗"}
	for _, question := range []string{
		"打印机卡纸怎么办", "报销怎么走流程", "VPN 连不上", "QTR-7310 的重量", "食堂几点开门", "公司有哪些其他福利",
		"What is the wifi password?", "怎么重置密码",
	} {
		if u := after(t, append(leave, question)...); u.Rewritten || u.Question != question {
			t.Errorf("%s became %q (%s)", question, u.Question, u.Reason)
		}
	}
	spoken := []string{"How many days of annual leave do staff get?", "Is sick leave paid?"}
	for _, question := range []string{
		"How do I reset my password?", "The printer is jammed, what should I do?", "Is it possible to park a bike on campus?",
		"How long does it take to get a visa?", "If a laptop is stolen, who replaces it?", "食堂几点开门",
		"Which building is the library in, and when does it open?",
	} {
		if u := after(t, append(spoken, question)...); u.Rewritten || u.Question != question {
			t.Errorf("%s became %q (%s)", question, u.Question, u.Reason)
		}
	}
}

func TestWithoutHistoryNothingIsRewritten(t *testing.T) {
	for _, q := range []string{"那病假呢", "and for interns?", "它多少钱", "Why?", "", " "} {
		if u := after(t, q); u.Rewritten || u.Question != q {
			t.Errorf("%q became %q", q, u.Question)
		}
	}
}

func TestIntents(t *testing.T) {
	for intent, messages := range map[pipeline.Intent][]string{
		pipeline.IntentGreeting:      {"你好", "您好！", "Hello!", "good morning", "hi there", "早上好。", "在吗？"},
		pipeline.IntentChitchat:      {"谢谢", "非常感谢你！", "你是谁？", "Thanks a lot!", "who are you?", "ok", "好的", "bye", "哈哈哈"},
		pipeline.IntentWebSearch:     {"上网查一下今天的汇率", "search the web for the exchange rate"},
		pipeline.IntentImage:         {"这张图片里是什么", "What is in this picture?"},
		pipeline.IntentDocument:      {"根据这份文件，谁负责验收", "According to this document, who signs?"},
		pipeline.IntentSummarize:     {"总结一下差旅制度", "Summarise the travel policy"},
		pipeline.IntentClarification: {"什么意思", "What do you mean by that?", "没看懂"},
		pipeline.IntentSearch: {"年假几天", "你好，年假几天？", "hello, how many days of leave are there?", "thanks to whom was it built",
			"How do I say goodbye to a colleague?", "谢谢信怎么写", "<script>alert(1)</script>", "好的供应商有哪些标准", ""},
	} {
		for _, m := range messages {
			if u := after(t, m); u.Intent != intent {
				t.Errorf("%q: %s, want %s", m, u.Intent, intent)
			}
		}
	}
	if u := after(t, "年假几天", "那病假呢"); u.Intent != pipeline.IntentFollowUp {
		t.Errorf("a follow-up has intent %s", u.Intent)
	}
}

func FuzzUnderstand(f *testing.F) {
	f.Add("年假几天", "5 天", "那病假呢")
	f.Add("How fast is the Boeing 777?", "Very. Ask Mr. Boeing's son.", "what about the A380's one?")
	f.Add("它", "\xff", "the the of of A")
	f.Fuzz(func(t *testing.T, asked, answer, question string) {
		u := after(t, asked+" => "+answer, asked, question)
		if strings.TrimSpace(question) != "" && strings.TrimSpace(u.Question) == "" {
			t.Errorf("%q became empty", question)
		}
		if !u.Rewritten && u.Question != question {
			t.Errorf("%q became %q without a rewrite", question, u.Question)
		}
	})
}
