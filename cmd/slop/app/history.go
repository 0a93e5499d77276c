package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"manualslop/bus/durable"
	"manualslop/projections"
)

// maxHistoryFile bounds a history.toml in bytes, so that its text as JSON fits
// into one request.
const maxHistoryFile = 8 << 20

func historyCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Bring in and take out discussions",
		Long: `History exchanges the discussions of a session with history.toml, the file in
which the original keeps them: roles, every discussion with its entries, and
which one is active.`,
		Example: `  slop history import old_history.toml
  slop history export -o history.toml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(historyImportCommand(g), historyExportCommand(g))
	return cmd
}

func historyImportCommand(g *globals) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Take over the discussions of a history.toml",
		Long: `Import adds every discussion of the file to the session of the engine that runs,
in place of one of the same name, takes over the roles, and makes the file's
active discussion the active one: all of it or nothing. What it does not
understand is an error with its line. FILE may be - for standard input.`,
		Example: `  slop history import old_history.toml`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.importHistory(cmd.Context(), args[0], session)
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "act on session `ID` instead of the current one")
	return cmd
}

func (g *globals) importHistory(ctx context.Context, file, session string) error {
	text, err := g.readHistoryFile(file)
	if err != nil {
		return failed(exitFailed, "%w", err)
	}
	if _, err := parseHistory(text); err != nil {
		return failed(exitFailed, "%s: %w", file, err)
	}
	p, err := g.place()
	if err != nil {
		return err
	}
	d, err := g.openDesk(ctx, p)
	if err != nil {
		return err
	}
	defer d.close()
	api, ok := d.(*apiDesk)
	if !ok {
		return failed(exitUsage, "history import speaks to a gateway; run it where slop serve runs, without --nats")
	}
	s, err := pickSession(ctx, d, session)
	if err != nil {
		return err
	}
	var out struct {
		Discussions int    `json:"discussions"`
		Entries     int    `json:"entries"`
		Active      string `json:"active"`
	}
	if _, err := api.person.Call(ctx, http.MethodPost, "/api/discussions/import", url.Values{"session": {s.Session}}, map[string]string{"toml": string(text)}, &out); err != nil {
		return failed(exitFailed, "%w", err)
	}
	if g.json {
		return g.printLine(out)
	}
	g.printf("%d discussions with %d entries; the active one is %s\n", out.Discussions, out.Entries, visible(out.Active))
	return nil
}

// readHistoryFile reads a file, or standard input for -, up to the limit.
func (g *globals) readHistoryFile(file string) ([]byte, error) {
	from := g.in
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
		err = fmt.Errorf("%s is over %d bytes; divide it", file, maxHistoryFile)
	}
	return text, err
}

func historyExportCommand(g *globals) *cobra.Command {
	var file, session string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the discussions as a history.toml",
		Long: `Export writes every discussion of a session as the original keeps them. It asks
the engine that runs, or opens the store where none does. Contents that are too
large for the record's events are named by their digest.`,
		Example: `  slop history export -o history.toml`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.withSession(cmd.Context(), session, func(_ context.Context, _ desk, _ projections.Summary, set *projections.Set) error {
				return g.exportHistory(set.History(), file)
			})
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "-", "write to `FILE` instead of standard output")
	cmd.Flags().StringVar(&session, "session", "", "look into session `ID` instead of the current one")
	return cmd
}

func (g *globals) exportHistory(h projections.History, file string) error {
	if g.json {
		return g.printLine(h)
	}
	text, err := formatHistory(h)
	if err != nil {
		return failed(exitFailed, "%w", err)
	}
	write := func(w io.Writer) error { _, err := w.Write(text); return err }
	if file == "-" {
		err = write(g.out)
	} else {
		err = durable.Write(file, write)
	}
	if err != nil {
		return failed(exitFailed, "export the history: %w", err)
	}
	return nil
}
