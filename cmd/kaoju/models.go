package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"kaoju/internal/client"
	"kaoju/internal/core"
)

func newModels() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List, add, test and choose the models that the server asks",
		Long: `Looks after the models of a server. Those of its configuration are listed with
the others, and changed there. A new default answers the next question; a new
embedding model embeds every base anew, which is searched by keywords until
then. Nothing is started again.

  kaoju models list
  echo "$DEEPSEEK_API_KEY" | kaoju models add deepseek --kind chat --url https://api.deepseek.com --name deepseek-chat --key-file - --default
  kaoju models test deepseek
  kaoju models default deepseek
  kaoju models names deepseek
  kaoju models remove deepseek
  kaoju models rotate-key`,
	}
	cmd.AddCommand(newModelsList(), newModelsAdd(), newModelsTest(), newModelsDefault(), newModelsNames(), newModelsRemove(), newModelsRotate())
	return cmd
}

// modelCommand is a command about one model, or about all.
func modelCommand(use, short string, args cobra.PositionalArgs, run func(cmd *cobra.Command, c *client.Client, args []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
		return withClient(cmd, func(_ context.Context, c *client.Client) error { return run(cmd, c, args) })
	}}
	reach(cmd)
	return cmd
}

func newModelsList() *cobra.Command {
	var asJSON bool
	cmd := modelCommand("list", "List the models, keys masked", cobra.NoArgs, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		list, err := c.Models(cmd.Context())
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(list)
		}
		return printModels(cmd.OutOrStdout(), list)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printModels(out io.Writer, list []core.Model) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "There are none: the built-in models do it all. `kaoju models add --help` shows how to add one.")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tID\tMODEL\tADDRESS\tKEY\tFROM\t")
	for _, m := range list {
		note := ""
		if m.Default {
			note = "default"
		}
		if m.Trouble != "" {
			note = "trouble: " + m.Trouble
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.Kind, m.ID, m.Name, m.BaseURL, m.APIKey, m.Origin, note)
	}
	return w.Flush()
}

func newModelsAdd() *cobra.Command {
	var d client.ModelDraft
	var kind, keyFile, options string
	cmd := modelCommand("add ID", "Register a model at an OpenAI-compatible endpoint, and test it", cobra.ExactArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		d.ID, d.Kind, d.Options = args[0], core.ModelKind(kind), json.RawMessage(options)
		if options == "" {
			d.Options = nil
		} else if !json.Valid(d.Options) {
			return core.Errorf(core.CodeInvalid, "--options is no JSON object, such as {\"timeout\": {\"first\": \"90s\"}}")
		}
		var err error
		if d.APIKey, err = readKey(cmd, keyFile); err != nil {
			return err
		}
		if _, err := c.AddModel(cmd.Context(), d); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s is registered\n", d.ID)
		return testModel(cmd, c, d.ID)
	})
	cmd.Flags().StringVar(&kind, "kind", "chat", "chat, embedding, rerank or vision")
	cmd.Flags().StringVar(&d.BaseURL, "url", "", "address of the endpoint, with or without /v1")
	cmd.Flags().StringVar(&d.Name, "name", "", "what the endpoint calls the model")
	cmd.Flags().StringVar(&keyFile, "key-file", "", `file with the API key of the endpoint; "-" for standard input`)
	cmd.Flags().StringVar(&options, "options", "", "further options as JSON; see docs/configuration.md")
	cmd.Flags().BoolVar(&d.Default, "default", false, "use it where nobody names another")
	_ = cmd.MarkFlagRequired("url")
	_ = cmd.MarkFlagRequired("name")
	return cmd
}

// readKey reads an API key from a file: on a command line, others could see it.
func readKey(cmd *cobra.Command, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	in := cmd.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", core.Wrap(err, core.CodeInvalid, "%s cannot be read", name)
		}
		defer f.Close()
		in = f
	}
	line, err := bufio.NewReader(io.LimitReader(in, 8<<10)).ReadString('\n')
	if key := strings.TrimSpace(line); key != "" {
		return key, nil
	}
	return "", core.Wrap(err, core.CodeInvalid, "there is no key in %s", name)
}

func testModel(cmd *cobra.Command, c *client.Client, id string) error {
	t, err := c.TestModel(cmd.Context(), id)
	if err != nil {
		return err
	}
	if !t.Works {
		return core.Errorf(t.Code, "%s does not work: %s", id, t.Error)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s works\n", id)
	return err
}

func newModelsTest() *cobra.Command {
	return modelCommand("test ID", "Ask a model for something small, and say what is wrong with it", cobra.ExactArgs(1),
		func(cmd *cobra.Command, c *client.Client, args []string) error { return testModel(cmd, c, args[0]) })
}

func newModelsDefault() *cobra.Command {
	return modelCommand("default ID", "Have a model serve where nobody names another", cobra.ExactArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		m, err := c.MakeDefaultModel(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		when := "from the next question on"
		if m.Kind == core.ModelEmbedding {
			when = "from now on; every base is embedded anew in the background, and searched by keywords until then"
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is the default for %s, %s\n", m.ID, m.Kind, when)
		return err
	})
}

func newModelsNames() *cobra.Command {
	return modelCommand("names ID", "List what the endpoint of a model has", cobra.ExactArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		names, err := c.EndpointModels(cmd.Context(), args[0])
		for _, n := range names {
			fmt.Fprintln(cmd.OutOrStdout(), n)
		}
		return err
	})
}

func newModelsRemove() *cobra.Command {
	return modelCommand("remove ID", "Take a registered model away", cobra.ExactArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		if err := c.RemoveModel(cmd.Context(), args[0]); err != nil {
			return err
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is removed\n", args[0])
		return err
	})
}

func newModelsRotate() *cobra.Command {
	return modelCommand("rotate-key", "Seal the keys of all models with a new key, and forget the old one", cobra.NoArgs, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		n, err := c.RotateModelKey(cmd.Context())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "the secrets of %d models are sealed with a new key\n", n)
		return err
	})
}
