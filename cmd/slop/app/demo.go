package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/app/demo"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/events/policy/commands"
)

func demoCommand(g *site.Flags) *cobra.Command {
	var yes bool
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the whole workflow on a sample project, with a scripted model",
		Long: `Demo copies a small Go project with a bug and a failing test into a new folder and
has the team fix it: one epic, one track, five tickets in a diamond. The models are
scripted; everything else is real: the log, the deciders, the workers, the
questions. Without --yes you are asked before anything is written or run; type y.

Budgets, tiers, personas and presets of your configuration do not apply; your rules
do. At the end the project's own tests pass, and the demo prints the commands that show
what happened. With --json, standard output holds only the events, one per line.`,
		Example: `  slop demo
  slop demo --yes --dir /tmp/sample`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDemo(cmd.Context(), g, dir, yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "answer yes to everything that the demo asks")
	cmd.Flags().StringVar(&dir, "dir", "", "write the sample into this new `DIR` (default: a temporary one)")
	return cmd
}

func runDemo(ctx context.Context, g *site.Flags, dir string, yes bool) error {
	if dir == "" {
		parent, err := os.MkdirTemp("", "slop-demo-*")
		if err != nil {
			return err
		}
		dir = filepath.Join(parent, "sample")
	}
	if err := demo.Extract(dir); err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	scriptFile := filepath.Join(dir, "..", "slop-demo-script.jsonl")
	scriptFile = filepath.Clean(scriptFile)
	if err := os.WriteFile(scriptFile, demo.Script(), 0o600); err != nil {
		return err
	}
	g.ProjectDir = dir
	p, err := g.Place()
	if err != nil {
		return err
	}
	plain := config.Default()
	p.Config.Hooks.Listen, p.Config.Budget = "127.0.0.1:0", plain.Budget
	p.Config.Tiers, p.Config.Roster = plain.Tiers, plain.Roster
	if !g.JSON {
		g.Printf("The sample project is in %s\n", dir)
	}
	o := runOptions{script: scriptFile, yes: yes, label: "demo", nats: "127.0.0.1:0"}
	session, err := runGoal(ctx, g, p, o, demo.Goal)
	if err != nil {
		return err
	}
	if !g.JSON && !g.Quiet {
		fmt.Fprint(g.Out, afterDemo(dir, session, p)) // commands to be copied whole
	}
	return nil
}

// afterDemo prints how to inspect the result and how to take part.
func afterDemo(dir, session string, p site.Place) string {
	self, place := commands.Quote(os.Args[0]), commands.Quote(dir)
	if p.Data != filepath.Join(p.Project, ".slop") {
		place += " --data " + commands.Quote(p.Data)
	}
	return fmt.Sprintf(`
The sample's own tests pass now. Everything that happened is in its log:

  %[1]s --project %[2]s sessions show %[3]s
  %[1]s --project %[2]s replay %[3]s             its read models, rebuilt
  %[1]s --project %[2]s replay %[3]s --verify    every decision, checked
  ls %[7]s/logs/sessions/*                       the readable logs

While an engine runs, anybody with credentials can watch it and answer a
question by publishing one event. In one terminal:

  %[1]s --project %[2]s serve --nats-listen 127.0.0.1:4222

In others:

  %[1]s --project %[2]s watch
  %[1]s --project %[2]s ask list
  nats --server nats://TOKEN@127.0.0.1:4222 pub 'slop.ev.%[4]s.SESSION.%[5]s.AskAnswered.tool' '{"ask":"ID","decision":"yes"}'

TOKEN is in %[6]s.
`, self, place, session, p.Name, p.Person, filepath.Join(p.KeysDir(), "person-"+p.Person+".json"),
		commands.Quote(dir))
}
