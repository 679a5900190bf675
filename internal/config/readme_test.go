package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every block of settings in the README can be pasted.
func TestBlocksOfTheReadme(t *testing.T) {
	for _, name := range []string{"README.md", "README.zh-CN.md"} {
		b, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		blocks := 0
		for i, part := range strings.Split(string(b), "```yaml\n") {
			block, _, ok := strings.Cut(part, "```")
			if i == 0 || !ok {
				continue
			}
			blocks++
			path := filepath.Join(t.TempDir(), "kaoju.yaml")
			if err := os.WriteFile(path, []byte(block), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := Load(Sources{File: path})
			if err != nil {
				t.Errorf("%s: %v in\n%s", name, err, block)
				continue
			}
			if c.ChatModel.BaseURL == "" || c.ChatModel.Name == "" {
				t.Errorf("%s: no chat model comes out of\n%s", name, block)
			}
		}
		if blocks < 5 {
			t.Errorf("%s has %d blocks, want one for each of five providers", name, blocks)
		}
	}
}
