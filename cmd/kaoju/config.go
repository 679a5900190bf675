package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func newConfig() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the options that are in force, with secrets masked",
		Long: `Prints every option with its value after the file, the environment and the
flags were read, in that order. Secrets are masked. docs/configuration.md tells
what each option means.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			if asJSON {
				values := map[string]string{}
				for _, o := range cfg.Table() {
					values[o.Key] = o.Value()
				}
				return json.NewEncoder(cmd.OutOrStdout()).Encode(values)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			for _, o := range cfg.Table() {
				fmt.Fprintf(w, "%s\t%s\t# %s\n", o.Key, o.Value(), o.Doc)
			}
			return w.Flush()
		},
	}
	options(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}
