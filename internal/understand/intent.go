package understand

import (
	"regexp"
	"strings"

	"kaoju/internal/pipeline"
	"kaoju/internal/text"
)

// intents are tried in order. Greetings and small talk must be the whole
// message: "hello, how many days …" is a question.
var intents = []struct {
	intent  pipeline.Intent
	pattern *regexp.Regexp
}{
	{pipeline.IntentGreeting, regexp.MustCompile(`^(?:(?:你|您|大家|各位)?好(?:呀|啊|哇)?|哈[喽啰罗]|嗨|早上好|上午好|中午好|下午好|晚上好|早安|晚安|在吗|有人吗|您?在不在)$`)},
	{pipeline.IntentGreeting, regexp.MustCompile(`^(?:hi+|hello+|hey+|howdy|greetings|good (?:morning|afternoon|evening|day))(?:,? (?:there|everyone|all|again|assistant|bot|team))?$`)},
	{pipeline.IntentChitchat, regexp.MustCompile(`^(?:非常|太|多)?(?:感谢|谢谢|多谢)(?:你|您|啦|了|哦)*$|^(?:再见|拜拜|回头见)[啦了]?$|^(?:好的?|行|可以|明白|知道|了解|收到|嗯+|哦+|哈+|呵+)(?:了|的|吧|啦)?$|^你(?:是谁|叫什么(?:名字)?|是(?:什么|机器人|人工智能)吗?|真棒|真厉害|能做什么|会什么|会做什么)$`)},
	{pipeline.IntentChitchat, regexp.MustCompile(`^(?:(?:many )?thanks?(?: you)?(?: (?:so|very) much| a lot)?|thx|bye(?: bye)?|goodbye|see you(?: later)?|ok(?:ay)?|cool|great|nice|got it|i see|understood|never ?mind|how are you(?: doing)?(?: today)?|who are you|what are you|what(?: is|'s) your name|what can you do|are you (?:a )?(?:bot|robot|human|ai)|(?:ha)+|lol)$`)},
	{pipeline.IntentWebSearch, regexp.MustCompile(`(?:上网|网上|联网|互联网)(?:查|搜|找|检索)|(?:百度|谷歌)一下|\b(?:search|look (?:it )?up|check) (?:on |in )?(?:the )?(?:web|internet|online)\b|\bgoogle (?:it|for|this|that)\b`)},
	{pipeline.IntentImage, regexp.MustCompile(`(?:这张|这幅|上面的|上传的)(?:图|图片|照片|截图)|(?:图|图片|照片|截图)(?:里|中|上)(?:的?是|有|写)(?:什么|啥)|\b(?:this|the attached|the uploaded|my) (?:image|picture|photo|screenshot)\b|\bin (?:the|this) (?:image|picture|photo|screenshot)\b`)},
	{pipeline.IntentDocument, regexp.MustCompile(`(?:只|仅)?(?:根据|依据|按照?|在)(?:这(?:份|个|篇)|该|本|上传的|附件的?)(?:文档|文件|资料|附件|文章)|\b(?:in|from|according to|based on) (?:this|the attached|the uploaded) (?:document|file|attachment|pdf)\b`)},
	{pipeline.IntentSummarize, regexp.MustCompile(`总结|概括|归纳|摘要|概述|\bsummar(?:y|ise|ize|ies)\b|\btl;?dr\b|\b(?:give|write) (?:me )?(?:an? )?(?:overview|outline)\b`)},
	{pipeline.IntentClarification, regexp.MustCompile(`^(?:(?:这|那|你|您)*(?:刚才|上面)?(?:说的?)?(?:这|那)?(?:话|句话)?是?什么意思|没(?:听|看)懂|不(?:明白|懂)|(?:再|重新)(?:说|解释)一(?:遍|次|下))[呢啊]?$|^(?:what do you mean(?: by (?:that|this))?|i (?:do not|don't) understand|can you (?:clarify|rephrase|repeat)(?: that| this)?|(?:please )?(?:clarify|rephrase|repeat that|say that again))$`)},
}

// intentOf gives what the user wants, by patterns; whatever fits none is a
// question to the documents.
func intentOf(question string) pipeline.Intent {
	q := plain(question)
	for _, i := range intents {
		if i.pattern.MatchString(q) {
			return i.intent
		}
	}
	return pipeline.IntentSearch
}

// smallTalk reports whether a message asks nothing of the documents.
func smallTalk(message string) bool {
	i := intentOf(message)
	return i == pipeline.IntentGreeting || i == pipeline.IntentChitchat
}

// plain is a message in lower case without the signs at its ends.
func plain(s string) string {
	return strings.Trim(text.Normalize(s), " \t\n.,!?~;:。，、！？；：…～")
}
