// Package app is the command line of slop, one file per command.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/app/doctor"
	"manualslop/cmd/slop/app/mcp"
	"manualslop/cmd/slop/app/record"
	"manualslop/cmd/slop/app/sessions"
	"manualslop/cmd/slop/app/tool"
	"manualslop/cmd/slop/app/work"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/cmd/slop/version"
)

// Main runs the command line and returns its exit status.
func Main(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	site.Shield()
	result := &term.Stdout{To: out}
	g := &site.Flags{}
	g.In, g.Out, g.Err = in, result, errOut
	started := false // the command line is valid; later errors are not usage errors
	root := newRoot(g)
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(result)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if lost := result.Failure(); err == nil && lost != nil {
		err = exit.Errorf(exit.Failed, "standard output: %w", lost)
	}
	if err == nil {
		return exit.Done
	}
	status, silent := exit.Usage, false
	var known *exit.Error
	var config *config.Error
	switch {
	case errors.As(err, &known):
		status, silent = known.Code, known.Silent
	case errors.As(err, &config):
	case started:
		status = exit.Failed
	}
	if !silent {
		term.PrintLines(errOut, "slop: "+term.EachVisible(err.Error())+"\n")
		if do := engine.Remedy(err); do != "" {
			fmt.Fprintln(errOut, do)
		}
	}
	return status
}

func newRoot(g *site.Flags) *cobra.Command {
	root := &cobra.Command{
		Use:   "slop",
		Short: "Teams of AI models on your code base, under your control",
		Long: `slop turns a goal into tracks and tracks into tickets, and has models carry the
tickets out with tools. Nothing that changes anything runs without approval, and
everything that happens is an event that you can watch, replay and search.

Without a command, slop opens slop chat in a terminal, and prints this elsewhere.

Exit status: 0 done, 1 failed, 2 wrong usage or configuration, 3 your answer is
needed and the command cannot wait for it, 4 replay diverged.`,
		Example: `  slop demo                          the whole workflow, with a scripted model
  slop run "make the tests pass"     a session from goal to done
  slop chat                          chat with a model about the project
  slop ask list                      what waits for you`,
		SilenceErrors: true, SilenceUsage: true, Version: version.ReadInfo().String(),
	}
	g.Register(root.PersistentFlags())
	for _, of := range groups(g) {
		root.AddGroup(&cobra.Group{ID: of.id, Title: of.title + ":"})
		for _, c := range of.commands {
			c.GroupID = of.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("setup")
	root.SetCompletionCommandGroupID("setup")
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w; `%s --help` lists the flags", err, c.CommandPath())
	})
	sayUsage(root.Commands())
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if !term.IsTerminal(g.In) || !term.IsTerminal(g.Out) || !term.IsTerminal(g.Err) {
			return cmd.Help()
		}
		chat, _, err := root.Find([]string{"chat"})
		if err != nil {
			return err
		}
		chat.SetContext(cmd.Context())
		return chat.RunE(chat, nil)
	}
	return root
}

// sayUsage makes commands and their subcommands print their usage when they are called with the wrong arguments.
func sayUsage(all []*cobra.Command) {
	for _, c := range all {
		if takes := c.Args; takes != nil {
			c.Args = func(c *cobra.Command, args []string) error {
				if err := takes(c, args); err != nil {
					return fmt.Errorf("%w; usage: %s", err, strings.TrimSuffix(c.UseLine(), " [flags]"))
				}
				return nil
			}
		}
		sayUsage(c.Commands())
	}
}

// group is a group of commands in the help.
type group struct {
	id, title string
	commands  []*cobra.Command
}

// groups returns the subcommands by group, in the order of the help.
func groups(g *site.Flags) []group {
	return []group{
		{"work", "Work", []*cobra.Command{demoCommand(g), runCommand(g), chatCommand(g), attachCommand(g),
			serveCommand(g)}},
		{"look", "Look", []*cobra.Command{consoleCommand(g), work.TopCommand(g), work.ShowCommand(g),
			work.ContextCommand(g), work.ChangesCommand(g), record.WatchCommand(g), sessions.Command(g),
			record.SearchCommand(g), record.ReplayCommand(g),
			record.ExportCommand(g), record.HistoryCommand(g)}},
		{"decide", "Decide", []*cobra.Command{work.AskCommand(g), work.PauseCommand(g), work.ResumeCommand(g),
			work.KillCommand(g), work.RetryCommand(g), work.BlockCommand(g), work.UnblockCommand(g), work.NoteCommand(g),
			work.BudgetCommand(g), work.UndoCommand(g), work.PatchCommand(g)}},
		{"setup", "Set up", []*cobra.Command{doctor.SetupCommand(g), doctor.Command(g), doctor.ModelsCommand(g),
			adoptCommand(g), versionCommand(g)}},
		{"programs", "Programs and tools", []*cobra.Command{hookCommand(g), mcp.Command(g), tool.Command(g)}},
		{"roles", "Roles in separate processes", []*cobra.Command{busCommand(g), gatewayCommand(g),
			orchestratorCommand(g), workerCommand(g), keysCommand(g), provisionCommand(g), benchCommand(g)}},
	}
}

func versionCommand(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program",
		Long:  `Version prints the version, the revision that it was built from, and what it runs on.`,
		Example: `  slop version
  slop version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info := version.ReadInfo()
			if g.JSON {
				return g.PrintLine(info)
			}
			g.Printf("%s\n", info)
			return nil
		},
	}
}
