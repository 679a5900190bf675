package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"kaoju/internal/app"
	"kaoju/internal/client"
	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/store"
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
	tell := func(c app.Check) {
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
	}
	app.Checkup(cmd.Context(), cfg, tell)
	registered(cmd.Context(), cfg, tell)
	if failed != nil {
		return failed
	}
	if troubles > 0 {
		return fmt.Errorf("%d of the checks found trouble", troubles)
	}
	return nil
}

// registered has a server that runs over the data folder try the models that
// were registered with it: their keys are sealed, and it alone opens them.
func registered(ctx context.Context, cfg *config.Config, tell func(app.Check)) {
	url, ok := store.ReadServer(cfg.Data)
	if !ok {
		return
	}
	c := client.New(url, cfg.Auth.APIKey)
	list, err := c.Models(ctx)
	if err != nil {
		tell(app.Check{Name: "models", State: app.StateTrouble, Detail: "the server does not list its models: " + core.PublicMessage(err)})
		return
	}
	for _, m := range list {
		if m.Origin != core.ModelOfAPI {
			continue // tried above
		}
		begun := time.Now()
		check := app.Check{Name: "model " + m.ID, State: app.StateOK, Detail: m.Name + " works"}
		t, err := c.TestModel(ctx, m.ID)
		switch {
		case err != nil:
			check.State, check.Detail = app.StateTrouble, core.PublicMessage(err)
		case !t.Works:
			check.State, check.Detail = app.StateTrouble, t.Error
			check.Advice = "kaoju models names " + m.ID + " lists what its endpoint has; change or remove it over the API"
		}
		check.MS = float64(time.Since(begun).Microseconds()) / 1000
		tell(check)
	}
}
