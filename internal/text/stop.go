package text

import "strings"

var stopWords = setOf(strings.Fields(`
	a an the of to in on at by for with from as is are was were be been being am do does did done
	has have had having will would shall should can could may might must and or but if then than so
	that this these those it its he she they we you i me him her them my your his our their what which
	who whom whose when where why how there here not no please tell about into over under between
	dont doesnt isnt arent im ive its whats hows wheres cant
	的 了 是 在 和 与 及 或 也 都 就 而 着 过 吗 呢 吧 啊 呀 么 嘛 哪 哪个 哪些 哪里 哪儿 什么 怎么 怎样 怎么样 如何
	为什么 为何 多少 几 谁 何时 何处 是否 请 请问 一下 麻烦 谢谢 您 你 我 他 她 它 我们 你们 他们 这 那 这个 那个
	这些 那些 有 能 能否 可以 可否 会 要 把 被 对 对于 关于 给 从 到 以 之 其 等 个 想 知道 告诉 是不是
	能不能 可不可以 里 中 上 下`))

// IsStop says whether a term carries no topic: articles, pronouns, auxiliaries,
// question words and politeness, in English and Chinese.
func IsStop(term string) bool { return stopWords[term] }
