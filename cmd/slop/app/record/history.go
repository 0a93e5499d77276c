package record

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"manualslop/bus/durable"
	"manualslop/cmd/slop/app/sessions"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/projections"
)

// maxHistoryFile limits a history.toml in bytes, so that its text as JSON fits into one request.
const maxHistoryFile = 8 << 20

func HistoryCommand(g *site.Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Import and export discussions",
		Long: `History exchanges the discussions of a session with history.toml, the file in
which Manual Slop stores them: the roles, every discussion with its entries, and
which one is active.`,
		Example: `  slop history import old_history.toml
  slop history export -o history.toml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(historyImportCommand(g), historyExportCommand(g))
	return cmd
}

func historyImportCommand(g *site.Flags) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import the discussions of a history.toml",
		Long: `Import adds every discussion of the file to the session of the running engine,
replacing any of the same name, takes over the roles, and makes the file's active
discussion the active one. It imports everything or nothing. Unknown keys are
ignored and listed; any other mistake is an error with its line number. FILE may
be - for standard input.`,
		Example: `  slop history import old_history.toml`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return importHistory(cmd.Context(), g, args[0], session)
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "act on session `ID` instead of the current one")
	return cmd
}

func importHistory(ctx context.Context, g *site.Flags, file, session string) error {
	text, err := readHistoryFile(g, file)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	h, err := engine.ParseHistory(text)
	if err != nil {
		return exit.Errorf(exit.Failed, "%s: %w", file, err)
	}
	for _, key := range h.Ignored {
		g.Notice("%s: unknown and ignored: %s", file, term.Visible(key))
	}
	p, err := g.Place()
	if err != nil {
		return err
	}
	d, err := client.Open(ctx, g, p)
	if err != nil {
		return err
	}
	defer d.Close()
	api, ok := d.(*client.HTTP)
	if !ok {
		return exit.Errorf(exit.Usage, "history import needs a gateway; run it where slop serve runs, without --nats")
	}
	s, err := client.Pick(ctx, d, session)
	if err != nil {
		return err
	}
	var out struct {
		Discussions int    `json:"discussions"`
		Entries     int    `json:"entries"`
		Active      string `json:"active"`
	}
	if _, err := api.Person.Call(ctx, http.MethodPost, "/api/discussions/import", url.Values{"session": {s.Session}},
		map[string]string{"toml": string(text)}, &out); err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if g.JSON {
		return g.PrintLine(out)
	}
	g.Printf("%d discussions with %d entries; the active one is %s\n", out.Discussions, out.Entries,
		term.Visible(out.Active))
	return nil
}

// readHistoryFile reads a file, or standard input for -, up to the limit.
func readHistoryFile(g *site.Flags, file string) ([]byte, error) {
	from := g.In
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, maxHistoryFile+1))
	if err == nil && len(text) > maxHistoryFile {
		err = fmt.Errorf("%s is over the limit of %d bytes; split it", file, maxHistoryFile)
	}
	return text, err
}

func historyExportCommand(g *site.Flags) *cobra.Command {
	var file, session string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the discussions as a history.toml",
		Long: `Export writes every discussion of a session in Manual Slop's format. It uses the
running engine, or opens the store if no engine is running. Contents that are too
large for the record's events are named by their digest.`,
		Example: `  slop history export -o history.toml`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sessions.WithSession(cmd.Context(), g, session, func(_ context.Context, _ client.Client,
				_ projections.Summary, set *projections.Set) error {
				return exportHistory(g, set.History(), file)
			})
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "-", "write to `FILE` instead of standard output")
	cmd.Flags().StringVar(&session, "session", "", "use session `ID` instead of the current one")
	return cmd
}

func exportHistory(g *site.Flags, h projections.History, file string) error {
	if g.JSON {
		return g.PrintLine(h)
	}
	text, err := engine.FormatHistory(h)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	write := func(w io.Writer) error { _, err := w.Write(text); return err }
	if file == "-" {
		err = write(g.Out)
	} else {
		err = durable.Write(file, write)
	}
	if err != nil {
		return exit.Errorf(exit.Failed, "export the history: %w", err)
	}
	return nil
}
