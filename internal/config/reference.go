package config

import (
	_ "embed" // the part of the page that no table holds
	"fmt"
	"strings"
)

//go:embed models.md
var aboutModels string

// Reference gives the reference page of all options in Markdown.
// docs/configuration.md is this text.
func Reference() string {
	var b strings.Builder
	b.WriteString(`# Configuration

This page is made from the table in internal/config; change it there and run
` + "`go test ./internal/config -update`" + `.

Values are taken from the YAML file (` + "`--config FILE`" + ` or ` + "`KAOJU_CONFIG`" + `), then from the
environment, then from flags; the later wins. ` + "`kaoju config`" + ` prints what is in force.

| key in the file | environment | flag of serve | type | default | allowed | meaning |
|---|---|---|---|---|---|---|
`)
	for _, o := range referenceTable() {
		def := o.Default
		if def == "" {
			def = "(empty)"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | `--%s` | %s | %s | %s | %s |\n", o.Key, o.Env(), o.Flag(), o.Type, def, o.Allowed, o.Doc)
	}
	b.WriteString(aboutModels)
	return b.String()
}

// referenceTable is the table with the defaults that depend on the machine
// replaced by their rule.
func referenceTable() []Option {
	table := Default().Table()
	for i, o := range table {
		switch o.Key {
		case "data":
			table[i].Default = "`$XDG_DATA_HOME/kaoju`, else `~/.local/share/kaoju`"
		case "ingest.workers":
			table[i].Default = "half of the processors, at least 2"
		}
	}
	return table
}
