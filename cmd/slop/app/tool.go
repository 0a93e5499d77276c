package app

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"manualslop/tools"
)

func toolCommand(g *globals) *cobra.Command {
	return group(&cobra.Command{
		Use:   "tool",
		Short: "The tools that models have, without an engine",
		Long: `Tool calls the tools of the engine directly, on the project, under the same
gates: paths outside of the base directories and protected files are refused,
calls that only read run, and everything else needs --yes. Rules of the
configuration that deny or ask hold with --yes too.`,
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

func toolListCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Every tool, with what it may do",
		Long: `List prints each tool with its effect, which decides whether a call needs a yes
(reads and network run, writes and executes ask), and a summary. With --json
each line is a tool with its long text and the JSON Schema of its arguments.`,
		Example: `  slop tool list
  slop tool list --json | jq -r .name`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			rows := [][]string{}
			for _, t := range tools.Builtin().All() {
				if !g.json {
					rows = append(rows, []string{t.Spec().Name, t.Spec().Effect.String(), t.Spec().Summary})
					continue
				}
				if err := g.printLine(toolLine{t.Spec(), t.Schema()}); err != nil {
					return err
				}
			}
			printTable(g.out, rows)
			return nil
		},
	}
}

func toolCallCommand(g *globals) *cobra.Command {
	var args, output string
	var yes bool
	cmd := &cobra.Command{
		Use:   "call NAME",
		Short: "Call one tool",
		Long: `Call makes one call and prints what a model would read. A call that changes
files shows the diff. With --json it prints one line
{"ok","text","data","error"}: data is the structured twin of the text.

Without --yes a call that writes or executes is refused with status 3, and the
diff of what it would change goes to standard error. Status 1: the call failed,
or a rule denies it.

The output of a script that is too long for an answer is cut in its middle;
--output writes all of it, as the files stdout and stderr.`,
		Example: `  slop tool call read_file --args '{"path": "README.md"}'
  slop tool call edit_file --yes --args '{"path": "a.go", "old_string": "x", "new_string": "y"}'
  slop tool call read_file --json --args - < args.json`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, t := range tools.Builtin().All() {
				names = append(names, cobra.CompletionWithDesc(t.Spec().Name, t.Spec().Summary))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			raw := []byte(args)
			if args == "-" {
				var err error
				if raw, err = io.ReadAll(io.LimitReader(g.in, tools.MaxArguments+1)); err != nil {
					return failed(exitFailed, "--args: %w", err)
				}
			}
			return g.callTool(cmd.Context(), words[0], raw, toolCallOptions{yes, output})
		},
	}
	cmd.Flags().StringVar(&args, "args", "{}", "the arguments, a `JSON` object; - reads it from standard input")
	cmd.Flags().BoolVar(&yes, "yes", false, "say yes to this call; rules that deny or ask stay")
	cmd.Flags().StringVar(&output, "output", "", "write whole outputs that the answer cuts into `DIR`, which is made")
	return cmd
}

type toolCallOptions struct {
	yes    bool
	output string // folder for whole outputs, or empty
}

func (g *globals) callTool(ctx context.Context, name string, args json.RawMessage, o toolCallOptions) error {
	caller, err := g.newToolCaller(o.yes)
	if err != nil {
		return err
	}
	defer caller.close()
	answer, err := caller.call(ctx, name, args)
	if err != nil {
		return failed(exitFailed, "%w", err)
	}
	if err := g.writeArtifacts(answer.artifacts, o.output); err != nil {
		return err
	}
	if g.json {
		if err := g.printLine(answer); err != nil {
			return err
		}
	} else if !answer.waits {
		g.printText(answer.Text)
	}
	if answer.operator != "" {
		g.notice("%s", visible(answer.operator))
	}
	switch {
	case answer.OK:
		return nil
	case !answer.waits:
		return silently(exitFailed, *answer.Error)
	}
	if answer.preview != "" && !g.quiet {
		g.printDiff(g.err, answer.preview)
	}
	hint := "--yes gives it"
	if o.yes {
		hint = "a rule of the configuration asks about it, and --yes does not answer that"
	}
	return failed(exitWaiting, "%s; %s", *answer.Error, hint)
}

// writeArtifacts writes whole outputs into a folder, or says that there are some.
func (g *globals) writeArtifacts(artifacts []tools.Artifact, dir string) error {
	if dir == "" || len(artifacts) == 0 {
		for _, a := range artifacts {
			g.notice("%s is cut in the answer; --output DIR writes all %d bytes of it", a.Name, len(a.Data))
		}
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return failed(exitFailed, "--output: %w", err)
	}
	for _, a := range artifacts {
		file := filepath.Join(dir, a.Name)
		if err := os.WriteFile(file, a.Data, 0o600); err != nil {
			return failed(exitFailed, "--output: %w", err)
		}
		more := ""
		if a.Cut {
			more = ", its beginning"
		}
		g.notice("%s is in %s (%d bytes%s)", a.Name, file, len(a.Data), more)
	}
	return nil
}
