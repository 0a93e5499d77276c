// Package app is the command line of slop: one file a subcommand, the
// configuration, and the wiring of roles to a bus.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitDone     = 0
	exitFailed   = 1 // the thing asked for failed
	exitUsage    = 2 // wrong usage or configuration
	exitWaiting  = 3 // waiting for a person when it may not wait
	exitDiverged = 4 // replay diverged
)

// exitError carries an exit status. A silent one was reported already.
type exitError struct {
	code   int
	err    error
	silent bool
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func failed(code int, format string, args ...any) error {
	return &exitError{code: code, err: fmt.Errorf(format, args...)}
}

// Main runs the command line and returns its exit status.
func Main(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	shield()
	result := &stdout{to: out}
	g := &globals{in: in, out: result, err: errOut}
	root := newRoot(g)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(result)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if lost := result.failure(); err == nil && lost != nil {
		err = failed(exitFailed, "standard output: %w", lost)
	}
	if err == nil {
		return exitDone
	}
	status, silent := exitUsage, false
	var known *exitError
	var config *ConfigError
	switch {
	case errors.As(err, &known):
		status, silent = known.code, known.silent
	case errors.As(err, &config):
	case g.started:
		status = exitFailed
	}
	if !silent {
		fmt.Fprintf(errOut, "slop: %s\n", eachVisible(err.Error()))
		if do := remedy(err); do != "" {
			fmt.Fprintln(errOut, do)
		}
	}
	return status
}

func newRoot(g *globals) *cobra.Command {
	root := &cobra.Command{
		Use:   "slop",
		Short: "Teams of AI models on your code base, under your control",
		Long: `slop turns a goal into tracks, tracks into tickets, and has models carry the
tickets out with tools. Nothing that changes anything runs without a yes, and
everything that happens is an event that you can watch, replay and search.

Exit status: 0 done, 1 failed, 2 wrong usage or configuration, 3 waiting for a
person when it may not wait, 4 replay diverged.`,
		Example: `  slop demo                          the whole main job, with a scripted model
  slop run "make the tests pass"     a session from goal to done
  slop ask list                      what waits for you`,
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRun: func(*cobra.Command, []string) { g.started = true },
	}
	g.flags(root.PersistentFlags())
	root.AddCommand(commands(g)...)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w; `%s --help` lists the flags", err, c.CommandPath())
	})
	sayUsage(root.Commands())
	return root
}

// sayUsage has commands and those below them say how they are used where they
// are called with other arguments than they take.
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

// commands is the list of subcommands.
func commands(g *globals) []*cobra.Command {
	return []*cobra.Command{
		demoCommand(g), runCommand(g), serveCommand(g),
		busCommand(g), gatewayCommand(g), orchestratorCommand(g), workerCommand(g),
		askCommand(g), hookCommand(g), watchCommand(g), sessionsCommand(g), replayCommand(g), exportCommand(g), historyCommand(g), searchCommand(g),
		pauseCommand(g), resumeCommand(g), killCommand(g), retryCommand(g), blockCommand(g), unblockCommand(g), budgetCommand(g), undoCommand(g), patchCommand(g),
		toolCommand(g), modelsCommand(g), keysCommand(g), provisionCommand(g), adoptCommand(g), doctorCommand(g), benchCommand(g), versionCommand(g),
	}
}

// logger writes the operator's log to standard error.
func (g *globals) logger() *slog.Logger {
	level := slog.LevelWarn
	switch {
	case g.verbose:
		level = slog.LevelDebug
	case g.quiet:
		level = slog.LevelError
	}
	return slog.New(slog.NewTextHandler(&repeats{out: g.err, clock: time.Now}, &slog.HandlerOptions{Level: level}))
}
