package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/app/demo"
)

func demoCommand(g *globals) *cobra.Command {
	var yes bool
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole main job on a sample project, with a scripted model",
		Long: `Demo copies a small Go project with a bug and a failing test into a new folder
and has the team mend it: one epic, one track, five tickets in a diamond. The
models are scripted, everything else is real: the log, the deciders, the
workers, the questions. Without --yes you are asked before anything is written
or run; type y.

At the end the project's own tests pass, and the demo tells how to look at what
happened.`,
		Example: `  slop demo
  slop demo --yes --dir /tmp/sample`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.demo(cmd.Context(), dir, yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "say yes to everything that the demo asks")
	cmd.Flags().StringVar(&dir, "dir", "", "put the sample into this new `DIR` (default: a temporary one)")
	return cmd
}

func (g *globals) demo(ctx context.Context, dir string, yes bool) error {
	if dir == "" {
		parent, err := os.MkdirTemp("", "slop-demo-*")
		if err != nil {
			return err
		}
		dir = filepath.Join(parent, "sample")
	}
	if err := demo.Extract(dir); err != nil {
		return failed(exitFailed, "%w", err)
	}
	scriptFile := filepath.Join(dir, "..", "slop-demo-script.jsonl")
	scriptFile = filepath.Clean(scriptFile)
	if err := os.WriteFile(scriptFile, demo.Script(), 0o600); err != nil {
		return err
	}
	g.projectDir = dir
	p, err := g.place()
	if err != nil {
		return err
	}
	p.config.Hooks.Listen = "127.0.0.1:0"
	g.printf("The sample project is in %s\n", dir)
	o := runOptions{script: scriptFile, yes: yes, label: "demo", nats: "127.0.0.1:0"}
	if err := g.run(ctx, p, o, demo.Goal); err != nil {
		return err
	}
	g.printf("%s", afterDemo(dir))
	return nil
}

// afterDemo tells how to look at what happened.
func afterDemo(dir string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
The sample's tests pass now. Everything that happened is on its log:

  slop --project %[1]s sessions              the session
  slop --project %[1]s replay SESSION        its read models, rebuilt
  slop --project %[1]s replay SESSION --verify   every decision, checked
  ls %[1]s/logs/sessions                     the readable logs

While an engine runs (slop serve --nats-listen 127.0.0.1:4222) anybody with the
rights can watch it and answer by publishing one event:

  slop watch
  nats pub 'slop.ev.<project>.<session>.<you>.AskAnswered.tool' '{"ask":"<id>","decision":"yes"}'
`, dir)
	return b.String()
}
