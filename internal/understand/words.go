package understand

import "strings"

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// English words that name nothing: verbs, adverbs, frames of questions. They
// stand in their usual forms, so that a look-up needs no grammar.
var emptyEnglish = setOf(`
a about above actually add added affect affected after again against ago all allow allowed almost along already also although always am
among an and another any anyone anything anyway apart apply applied are arent around as aside ask asked at available avoid away
back be became because become been before began begin being believe below beside best better between both break bring bring btw build built but buy by bye
call called came can cant change changed choose chose come compare compared complete consider contain contains correct could couldnt create created curious
deal decide define defined depend describe detail details develop did didnt die died differ different discuss do does doesnt doing done dont down during
each easily either else elaborate end ended enough especially etc even ever every everything exactly exist explain extra
fall far feel fell few find first fix follow following for found from full further gave generally get gets getting give given gives go goes going gone good got great guess
had hadnt handle happen happened happens hard has hasnt have havent having he hear heard hello help helped her here hers herself hi him himself his hold how however
i id if im important in include included includes including increase instead interested interesting into involve involved is isnt it its itself ive
join just keep kept kind know known last later latest lead learn least left less let lets like likely list little live lived long look lot lots
made main mainly major make makes many may maybe me mean means mention mentioned might mine more most mostly move moved much must my myself
name named nearly necessary need needed needs neither never new newest next no nor not nothing now obtain occur of off often oh ok okay old on once one ones only open or other others our out over own
part perform perhaps play played please possible prepare prevent prior probably produce provide provided provides put quick quickly quite
ran rather read really recommend recommended regarding related relevant replace require required requires receive received right run said same saw say says see seem send set several shall she should show shows similar since so some someone something sometimes soon sorry sort speak speaking specific start started stay still stop stopped such suggest support supported supports sure
take taken takes taking talk tell than thank thanks that thats the their theirs them themselves then there these they thing things think this those though thought through throughout thus till to today together told tomorrow too took tried true try trying turn two type types
under understand until up upon us use used uses using usually various very via vs want wants was wasnt way ways we well went were werent what whats when whenever where wheres whether which while who whom whose why will win wish with within without won wont wonder work worked works would wouldnt write wrote written yes yet you your yours yourself
ie eg mr mrs ms dr won lose lost born married visit visited recently currently early typically exactly popular difference`)

// English nouns that say nothing without the thing that they belong to.
var relationalEnglish = setOf(`
requirement requirements feature features advantage advantages disadvantage disadvantages benefit benefits cost costs price prices pricing fee fees step steps process processes procedure limit limits limitation limitations
difference differences example examples reason reasons cause causes symptom symptoms rule rules risk risks purpose deadline option options drawback drawbacks effect effects side treatment treatments exception exceptions consequence consequences penalty penalties
alternative alternatives pros cons detail details definition meaning size length duration eligibility documents document paperwork form forms contact cheapest maximum minimum limits expensive cheap safe legal free common rare`)

// Chinese words that name nothing: verbs, frames of questions, degrees.
var emptyChinese = setOf(`
是 有 没有 需要 要 需 应该 应 可以 能够 能 会 可 支持 申请 办理 审批 领取 缴纳 支付 使用 用 安装 修改 更改 取消 查询 提交 提供 处理 解决 设置 配置 开通 关闭 打开 下载 上传 登录 注册 联系 找 归 属于 包括 包含 负责 管 做 办 交 走 去 来 到 给 让 使 得 说 讲 问 看 看看 知道 告诉 介绍 解释 说明 描述 列出 举例
怎么 怎么样 怎么办 怎样 如何 为什么 为何 什么 什么样 什么时候 哪 哪个 哪些 哪里 哪儿 哪位 谁 多少 几 多久 多长 多长时间 多大 多高 多远 几天 几个 几次 几年 几月 几点 几号 几位 几种 多少钱 多少天 何时 何地 何 吗 呢 吧 啊 呀 么 嘛
请 请问 一下 麻烦 谢谢 您 你 我 我们 你们 他 她 它 他们 她们 它们 咱们 自己 这 那 这个 那个 这些 那些 这样 那样 该 其 此 上述 前者 后者
的 了 着 过 地 和 与 及 或 也 都 就 而 还 再 又 很 更 最 太 比较 非常 只 仅 才 已 已经 正在 将 将要 一定 必须 必需 不 没 无 非 是否 能否 可否 能不能 可不可以 有没有 是不是 要不要 会不会 在 从 到 于 对 对于 关于 按 按照 根据 以 由 把 被 为 向 因 因为 所以 如果 要是 那么 然后 以及 还有 另外 此外 至于 具体 详细 主要 一般 通常 大概 大约 目前 现在 今天 明天 昨天 最多 最少 至少 最高 最低 最长 最短 最晚 最早 允许 进行 完成 开始 结束 属 算 叫 成 天 个 次 种 位 元 块 钱 里 中 上 下 内 外 前 后 时 期间 之前 之后 以内 以上 以下 想 希望 觉得 认为 帮 帮我 提前 生效 到账 区别 不同 呢`)

// Chinese nouns that say nothing without the thing that they belong to.
var relationalChinese = setOf(`
材料 资料 流程 费用 时间 条件 要求 限制 区别 步骤 手续 价格 期限 标准 原因 好处 缺点 优点 坏处 影响 范围 例外 上限 下限 天数 金额 额度 比例 方式 方法 办法 用途 作用 含义 意思 规定 地点 地址 电话 联系人 负责人 部门 人 后果 处罚 风险 功能 特点 例子 有效期 截止 截止日期 次数 数量 大小 长度 价钱 周期 进度`)

// Chinese nouns for people, by their ends: "实习生" takes the place of
// "正式员工", and of nothing else.
var peopleChinese = strings.Fields(`员工 职工 实习生 人员 经理 学生 老师 教师 教授 主管 用户 客户 新人 外包 会员 合同工 主任 干部 工人 司机 医生 护士 家属 配偶 子女 毕业生 研究生 本科生 博士生 硕士生 同事 领导 董事 股东 顾问 专家 讲师 临时工 派遣工 个人 企业`)

// English nouns for people, which take each other's place.
var peopleEn = setOf(`staff employee intern manager student teacher contractor customer user worker trainee temp member director visitor veteran parent
child woman women men people person client vendor supplier partner apprentice freelancer consultant executive officer applicant candidate patient resident citizen`)
