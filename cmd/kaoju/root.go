package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"kaoju/internal/app"
	"kaoju/internal/config"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "kaoju",
		Short: "Answers from your own documents, with the evidence beside every claim",
		Long: `Kaoju (考据) answers questions from your own documents, in Chinese and
English. It cites the passage behind every claim, says how sure it is, and
says so when the documents hold no answer. It needs nothing but this file.

  kaoju serve                        start the server on 127.0.0.1:8420
  kaoju ingest ~/handbook *.pdf      add files and folders
  kaoju ask "how many days of leave do I have?"

ingest and ask find the server that owns the data folder and work through it;
without one they work on the folder themselves.`,
		Version:       app.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath())}
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newServe(), newIngest(), newAsk(), newGlossary(), newFAQ(), newBase(), newWiki(), newModels(), newDemo(), newEval(), newBench(), newConfig(), newDoctor(), newUsage(), newVersion(), newParseWorker())
	return root
}

// options adds a flag for each option of the table, or only for those named.
func options(cmd *cobra.Command, keys ...string) {
	cmd.Flags().String("config", os.Getenv("KAOJU_CONFIG"), "configuration file (YAML)")
	for _, o := range config.Default().Table() {
		if len(keys) > 0 && !contains(keys, o.Key) {
			continue
		}
		cmd.Flags().String(o.Flag(), "", fmt.Sprintf("%s (default %q)", o.Doc, o.Default))
	}
}

func contains(keys []string, key string) bool {
	for _, k := range keys {
		if k == key {
			return true
		}
	}
	return false
}

// load gives the effective configuration of a command with options.
func load(cmd *cobra.Command) (*config.Config, error) {
	file, err := cmd.Flags().GetString("config")
	if err != nil {
		return nil, fmt.Errorf("read --config: %w", err)
	}
	given := map[string]string{}
	for _, o := range config.Default().Table() {
		if f := cmd.Flags().Lookup(o.Flag()); f != nil && f.Changed {
			given[o.Key] = f.Value.String()
		}
	}
	return config.Load(config.Sources{File: file, Environ: os.Environ(), Flags: given})
}

// atLeast checks the number of arguments and says what is missing.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usageError{fmt.Errorf("%s is missing; see '%s --help'", what, cmd.CommandPath())}
		}
		return nil
	}
}
