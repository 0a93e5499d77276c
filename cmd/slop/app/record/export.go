package record

import (
	"bufio"
	"context"
	"io"

	"github.com/spf13/cobra"

	"manualslop/bus/durable"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/projections"
	"manualslop/replay"
)

func ExportCommand(g *site.Flags) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "export SESSION",
		Short: "Write a session into one portable file",
		Long: `Export writes the whole record of a session into one file: a header, one line per
event with a hash chain over them, every body that an event names, and a footer. The
same session gives the same bytes. slop replay FILE reads the file anywhere, without
a store. Known secrets were masked before they were recorded; file contents and
models' replies are in the file.

It uses the running engine, or opens the store if no engine is running. SESSION may
be abbreviated, or be the name of the session's log folder.`,
		Example: `  slop export 7QK2M4 -o session.jsonl
  slop export 7QK2M4 | slop replay - --verify`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: command.CompleteSession(g, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			return exportSession(cmd.Context(), g, args[0], file)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "-", "write to `FILE` instead of standard output")
	return cmd
}

func exportSession(ctx context.Context, g *site.Flags, word, file string) error {
	return client.WithSession(ctx, g, word, func(d client.Client, s projections.Summary) error {
		var sum replay.Summary
		write := func(w io.Writer) error {
			buffered := bufio.NewWriter(w)
			var err error
			if sum, err = replay.Export(ctx, buffered, client.HistoryOf(ctx, d, s.Session), d.Blobs()); err != nil {
				return err
			}
			return buffered.Flush()
		}
		var err error
		if file == "-" {
			err = write(g.Out)
		} else {
			err = durable.Write(file, write)
		}
		if err != nil {
			return exit.Errorf(exit.Failed, "export session %s: %w", s.Session, err)
		}
		g.Notice("%d events and %d bodies of session %s, chain %s", sum.Events, sum.Blobs, s.Session, sum.Chain)
		return nil
	})
}
