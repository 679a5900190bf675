package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"kaoju/internal/app"
)

func newDoctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that the server needs, and say how to mend what is wrong",
		Long: `Looks at the data folder, the disk, the database, the address, Redis and every
configured model, each with a real call, and at the programs that some formats
need. It changes nothing and can run beside the server.

  kaoju doctor
  kaoju doctor --config kaoju.yaml --json

The exit code is 0 where all works, and 1 where something is in trouble.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return doctor(cmd, asJSON) },
	}
	options(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a check, a line each")
	return cmd
}

func doctor(cmd *cobra.Command, asJSON bool) error {
	cfg, err := load(cmd)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	marks := map[app.State]string{app.StateOK: "✓", app.StateNote: "·", app.StateTrouble: "✗"}
	troubles := 0
	var failed error
	app.Checkup(cmd.Context(), cfg, func(c app.Check) {
		if c.State == app.StateTrouble {
			troubles++
		}
		if asJSON {
			failed = json.NewEncoder(out).Encode(c)
			return
		}
		fmt.Fprintf(out, "%s %-16s %s\n", marks[c.State], c.Name, c.Detail)
		if c.Advice != "" {
			fmt.Fprintf(out, "  %-16s → %s\n", "", c.Advice)
		}
	})
	if failed != nil {
		return failed
	}
	if troubles > 0 {
		return fmt.Errorf("%d of the checks found trouble", troubles)
	}
	return nil
}
