// Command gen compiles the word list of package text (data/words.bin) from
// jieba's dictionary and Markov model and OpenCC's character table. The raw
// files are read from the Go module cache and are not part of the repository:
//
//	go generate ./internal/text
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The modules that carry the data. They are not requirements of the product.
const (
	jiebaModule  = "github.com/yanyiwu/gojieba@v1.4.6"
	openccModule = "github.com/longbridgeapp/opencc@v0.3.13"
)

func main() {
	if len(os.Args) != 2 {
		fail("usage: gen OUTPUT")
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		fail(err)
	}
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}

func run(ctx context.Context, output string) error {
	jieba, err := moduleDir(ctx, jiebaModule)
	if err != nil {
		return err
	}
	opencc, err := moduleDir(ctx, openccModule)
	if err != nil {
		return err
	}
	dict := filepath.Join(jieba, "deps", "cppjieba", "dict")
	src, err := readSources(
		filepath.Join(opencc, "dictionary", "TSCharacters.txt"),
		filepath.Join(dict, "jieba.dict.utf8"),
		filepath.Join(dict, "hmm_model.utf8"))
	if err != nil {
		return err
	}
	image, err := compile(src)
	if err != nil {
		return err
	}
	fmt.Printf("%d words, %d characters, %d bytes\n", len(src.words), len(src.counts), len(image))
	return os.WriteFile(output, image, 0o644)
}

// moduleDir fetches a module into the cache where it is missing and gives its
// folder.
func moduleDir(ctx context.Context, module string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", module).Output()
	if err != nil {
		return "", fmt.Errorf("fetch module %s: %w", module, err)
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		return "", fmt.Errorf("read the answer of go mod download for %s: %w", module, err)
	}
	return info.Dir, nil
}
