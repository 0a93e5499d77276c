// Package tool has the commands below "slop tool": tools without an engine.
package tool

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/tools"
	"manualslop/tools/builtin"
)

func Command(g *site.Flags) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "tool",
		Short: "List and call the models' tools without an engine",
		Long: `Tool calls the tools of the engine directly, on the project, under the same gates:
paths outside of the base directories and protected files are refused, calls that
only read run, and everything else needs --yes. Configured rules that deny or ask
apply with --yes too.`,
		Example: `  slop tool list
  slop tool call get_tree --args '{"path": "."}'
  slop tool batch < calls.jsonl`,
	}, toolListCommand(g), toolCallCommand(g), toolBatchCommand(g))
}

// toolLine is one line of slop tool list --json.
type toolLine struct {
	tools.Spec
	Schema json.RawMessage `json:"schema"`
}

func toolListCommand(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List every tool with what it may do",
		Long: `List prints each tool with a summary and its effect, which decides whether a call
needs approval (reads and network run, writes and executes ask). With --json each line
is a tool with its full description and the JSON Schema of its arguments.`,
		Example: `  slop tool list
  slop tool list --json | jq -r .name`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			rows := [][]string{}
			for _, t := range builtin.Tools().All() {
				if !g.JSON {
					rows = append(rows, []string{t.Spec().Name, t.Spec().Effect.String(), t.Spec().Summary})
					continue
				}
				if err := g.PrintLine(toolLine{t.Spec(), t.Schema()}); err != nil {
					return err
				}
			}
			term.PrintTable(g.Out, rows)
			return nil
		},
	}
}

func toolCallCommand(g *site.Flags) *cobra.Command {
	var o toolCallOptions
	cmd := &cobra.Command{
		Use:   "call NAME",
		Short: "Call one tool",
		Long: `Call makes one call and prints what a model would read. A call that changes files
shows the diff. With --json it prints one line {"ok","text","data","error"}: data is
the text as structured data.

Without --yes a call that writes or executes is refused with status 3, and the
diff of what it would change goes to standard error. Status 1: the call failed,
or a rule denies it.

If the output of a script is too long for an answer, its middle is cut; --output
writes all of it, as the files stdout and stderr.`,
		Example: `  slop tool call read_file --args '{"path": "README.md"}'
  slop tool call edit_file --yes --args '{"path": "a.go", "old_string": "x", "new_string": "y"}'
  slop tool call read_file --json --args - < args.json`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, t := range builtin.Tools().All() {
				names = append(names, cobra.CompletionWithDesc(t.Spec().Name, t.Spec().Summary))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			return o.call(cmd.Context(), g, builtin.Tools(), words[0])
		},
	}
	o.flags(cmd)
	return cmd
}

// toolCallOptions are the flags of a call.
type toolCallOptions struct {
	args   string // - for standard input
	yes    bool
	output string // folder for whole outputs, or empty
}

func (o *toolCallOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.args, "args", "{}", "the arguments, a `JSON` object; - reads it from standard input")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "approve this call; rules that deny or ask still apply")
	cmd.Flags().StringVar(&o.output, "output", "", "write the full output of cut answers into the new `DIR`")
}

// call calls a tool of registry and prints the answer.
func (o *toolCallOptions) call(ctx context.Context, g *site.Flags, registry *tools.Registry, name string) error {
	raw := []byte(o.args)
	if o.args == "-" {
		var err error
		if raw, err = io.ReadAll(io.LimitReader(g.In, tools.MaxArguments+1)); err != nil {
			return exit.Errorf(exit.Failed, "--args: %w", err)
		}
	}
	caller, err := newToolCaller(g, registry, o.yes)
	if err != nil {
		return err
	}
	defer caller.Close()
	answer, err := caller.call(ctx, name, raw)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if err := writeArtifacts(g, answer.artifacts, o.output); err != nil {
		return err
	}
	if g.JSON {
		if err := g.PrintLine(answer); err != nil {
			return err
		}
	} else if !answer.waits {
		g.PrintText(answer.Text)
	}
	if answer.operator != "" {
		g.Notice("%s", term.Visible(answer.operator))
	}
	switch {
	case answer.OK:
		return nil
	case !answer.waits:
		return exit.Silently(exit.Failed, *answer.Error)
	}
	if answer.preview != "" && !g.Quiet {
		g.PrintDiff(g.Err, answer.preview)
	}
	hint := "--yes approves it"
	if o.yes {
		hint = "a configured rule asks about it, and --yes does not answer such asks"
	}
	return exit.Errorf(exit.Waiting, "%s; %s", *answer.Error, hint)
}

// writeArtifacts writes complete outputs into a folder, or without a folder reports that they exist.
func writeArtifacts(g *site.Flags, artifacts []tools.Artifact, dir string) error {
	if dir == "" || len(artifacts) == 0 {
		for _, a := range artifacts {
			g.Notice("%s is cut in the answer; --output DIR writes all %d bytes of it", a.Name, len(a.Data))
		}
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return exit.Errorf(exit.Failed, "--output: %w", err)
	}
	for _, a := range artifacts {
		file := filepath.Join(dir, a.Name)
		if err := os.WriteFile(file, a.Data, 0o600); err != nil {
			return exit.Errorf(exit.Failed, "--output: %w", err)
		}
		more := ""
		if a.Cut {
			more = ", its beginning"
		}
		g.Notice("%s is in %s (%d bytes%s)", a.Name, file, len(a.Data), more)
	}
	return nil
}
