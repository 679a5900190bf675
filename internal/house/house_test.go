package house_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// order is the house from the top. A package imports packages of its own room
// and of rooms before it; cmd stands below all.
var order = []string{
	"core", "text", "memo", "config", "store", "llm", "index", "eventlog", "fetch", "cache", "trace", "parse", "chunk",
	"knowledge", "ingest", "graph", "retrieve", "tables", "prompt", "enrich", "wiki", "assistant", "answer", "pipeline", "understand", "stage",
	"agent", "chat", "auth", "client", "api", "web", "eval", "app",
}

// beside are rooms that no other room imports.
var beside = []string{"house"}

func TestPackagesImportOnlyWhatStandsAboveThem(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		room := roomOf(strings.TrimPrefix(filepath.ToSlash(path), "../"))
		seen[room] = true
		checkFile(t, path, room)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !seen["core"] || len(seen) < 10 {
		t.Fatalf("the walk saw only %v", seen)
	}
}

func checkFile(t *testing.T, path, room string) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	own := slices.Index(order, room)
	if own < 0 && !slices.Contains(beside, room) {
		t.Errorf("%s: room %q is not in the house", path, room)
		return
	}
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		rest, ours := strings.CutPrefix(imported, "kaoju/internal/")
		if !ours || strings.HasSuffix(path, "_test.go") {
			continue
		}
		if at := slices.Index(order, roomOf(rest)); at < 0 || at > own {
			t.Errorf("%s imports %s, which stands below it", path, imported)
		}
	}
}

// roomOf gives the first element of a path.
func roomOf(path string) string {
	room, _, _ := strings.Cut(path, "/")
	return room
}
