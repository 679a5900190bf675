// Package bundle joins the modules of the pages to the one file that browsers
// load. Nothing of it is in the binary: its test compares assets/app.js with
// the modules, and writes it anew with
//
//	go test ./internal/web/bundle -update
package bundle

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

var update = flag.Bool("update", false, "write assets/app.js")

// joined gives the modules as one, with short names and no spaces: what a
// person reads are the modules.
func joined(t *testing.T) []byte {
	t.Helper()
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join("..", "assets", "js", "main.js")},
		Bundle:      true, Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LineLimit: 4000,
		Banner: map[string]string{"js": "// Made of the modules in js/: go test ./internal/web/bundle -update"},
	})
	for _, m := range append(result.Errors, result.Warnings...) {
		t.Errorf("%+v: %s", m.Location, m.Text)
	}
	if len(result.OutputFiles) != 1 {
		t.Fatalf("%d files were made", len(result.OutputFiles))
	}
	return result.OutputFiles[0].Contents
}

func TestAppIsMadeOfTheModules(t *testing.T) {
	want, place := joined(t), filepath.Join("..", "assets", "app.js")
	if *update {
		if err := os.WriteFile(place, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(place); err != nil || !bytes.Equal(have, want) {
		t.Errorf("assets/app.js is not what js/ makes; run: go test ./internal/web/bundle -update (%v)", err)
	}
}
