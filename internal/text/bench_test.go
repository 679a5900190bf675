package text

import (
	"strings"
	"testing"
)

// sample is Chinese prose with the names, numbers and codes of real documents.
const sample = `视频监控联网系统按照GB/T 28181-2016的要求建设，前端设备型号为QTR-7310，额定电压220V，单价5000元。` +
	`北京工业大学的研究人员于2023年5月1日发表了关于自然语言处理的论文，讨论了深度学习在问答系统中的应用。` +
	`他们认为，检索增强生成可以减少大语言模型的幻觉，并且使回答有据可查。小明硕士毕业于中国科学院计算所，后在日本京都大学深造。` +
	"公司员工请假须提前三个工作日提交申请，由部门负责人审批；超过五天的，还需要总经理批准。\n"

func BenchmarkTermsChinese(b *testing.B) {
	s := strings.Repeat(sample, 5)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Terms(s)
	}
}

func BenchmarkTokenizeChinese(b *testing.B) {
	s := strings.Repeat(sample, 5)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Tokenize(s)
	}
}

func BenchmarkTermsEnglish(b *testing.B) {
	s := strings.Repeat("The quick brown foxes weren't jumping over 1,234 lazy dogs; see the user's guide v2.3.1 (state-of-the-art). ", 20)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Terms(s)
	}
}

func BenchmarkNormalize(b *testing.B) {
	b.SetBytes(int64(len(sample)))
	for b.Loop() {
		Normalize(sample)
	}
}
