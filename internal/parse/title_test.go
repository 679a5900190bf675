package parse

import "testing"

func TestIsTitle(t *testing.T) {
	for title, want := range map[string]bool{
		"员工手册": true, "文档管理规范": true, "幻灯片设计规范": true, "新建项目流程": true, "Document retention": true, "Untitled works of Bach": true,
		"PowerPoint for beginners": true, "Presentation skills": true, "2024 Annual Report": true, "Q&A": true,
		"": false, "  ": false, "1": false, "文档1": false, "演示文稿 2": false, "幻灯片 1": false, "无标题": false, "新建 Microsoft Word 文档 (2)": false,
		"Document1": false, "Untitled": false, "PowerPoint 演示文稿": false, "PowerPoint Presentation": false, "Microsoft Word - 制度.doc": false,
		"Microsoft Word - final": false, "report.PDF": false, "(anonymous)": false, "bad \ufffd": false, "2024": false,
	} {
		if got := IsTitle(title); got != want {
			t.Errorf("IsTitle(%q) = %v", title, got)
		}
	}
}
