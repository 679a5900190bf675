package app

import (
	"embed"
	"fmt"
	"io/fs"
	"path"

	"kaoju/internal/assistant"
	"kaoju/internal/core"
)

//go:embed testdata/demo
var demoFiles embed.FS

const demoDir = "testdata/demo"

// Demo is an example that comes with the program: an assistant with its
// knowledge.
type Demo struct {
	Assistant core.Assistant
	// Bases are knowledge bases by name with their documents; FAQBase is filled
	// with FAQ, a file that an import takes.
	Bases   []DemoBase
	FAQBase string
	FAQ     []byte
	// Questions show every way to an answer.
	Questions []DemoQuestion
}

// DemoBase is a knowledge base of an example.
type DemoBase struct {
	Name  string
	Files []DemoFile
}

// DemoFile is a document of an example.
type DemoFile struct {
	Name    string
	Content []byte
}

// DemoQuestion is something to try, and what it shows.
type DemoQuestion struct {
	Text  string
	Shows string
	Base  string // narrows the question to this base; "" for most
	After string // goes on from this question; "" for most
}

// HRDemo gives the HR, finance and IT help desk.
func HRDemo() (Demo, error) {
	d := Demo{FAQBase: "示例-常见问题"}
	raw, err := demoFiles.ReadFile(path.Join(demoDir, "hr-it.yaml"))
	if err != nil {
		return d, fmt.Errorf("read the example's assistant: %w", err)
	}
	if d.Assistant, err = assistant.Parse("hr-it.yaml", raw); err != nil {
		return d, err
	}
	if d.FAQ, err = demoFiles.ReadFile(path.Join(demoDir, "faq.json")); err != nil {
		return d, fmt.Errorf("read the example's FAQ: %w", err)
	}
	for _, b := range []struct{ dir, name string }{{"hr", "示例-人事"}, {"finance", "示例-财务"}, {"it", "示例-IT"}} {
		files, err := readDemoFiles(b.dir)
		if err != nil {
			return d, err
		}
		d.Bases = append(d.Bases, DemoBase{Name: b.name, Files: files})
	}
	d.Questions = demoQuestions()
	return d, nil
}

func readDemoFiles(dir string) ([]DemoFile, error) {
	dir = path.Join(demoDir, dir)
	entries, err := fs.ReadDir(demoFiles, dir)
	if err != nil {
		return nil, fmt.Errorf("read the example's files: %w", err)
	}
	var files []DemoFile
	for _, e := range entries {
		content, err := demoFiles.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the example's files: %w", err)
		}
		files = append(files, DemoFile{Name: e.Name(), Content: content})
	}
	return files, nil
}

func demoQuestions() []DemoQuestion {
	return []DemoQuestion{
		{Text: "你好", Shows: "问候：规则直接回答"},
		{Text: "转人工", Shows: "转人工：给出联系方式"},
		{Text: "彩票怎么买", Shows: "越界：直接说明不在范围内"},
		{Text: "年假有几天？", Shows: "标准问题：精确命中，不调用模型"},
		{Text: "我忘记邮箱密码了，怎么办", Shows: "相似问题：分数达到阈值才直接给出标准答案"},
		{Text: "新人入职需要完成哪些流程？", Shows: "文档问答：改写变体、证据、引用"},
		{Text: "报销超过5000需要谁审批", Shows: "费用类问题：更高的阈值，保守的回答口径"},
		{Text: "那审批呢？", After: "新人入职需要完成哪些流程？", Shows: "追问：结合上文补全问题（须在同一会话中提问）"},
		{Text: "资产编号 IT-0042 的负责人是谁", Shows: "表格：优先用表格行"},
		{Text: "VPN 连接失败怎么排查", Shows: "排障：按步骤回答"},
		{Text: "报销需要哪些单据？", Base: "示例-人事", Shows: "来源边界：选了人事，问的是财务"},
		{Text: "董事长的生日是哪天？", Shows: "信息不足：说明无法确认，并给出联系方式"},
	}
}
