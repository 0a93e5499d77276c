package builtin

import (
	"context"
	_ "embed" // for the tool's documentation
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"manualslop/tools"
	"manualslop/tools/document"
	"manualslop/tools/filetools"
	"manualslop/tools/sandbox"
)

//go:embed run_powershell.md
var runPowershellDoc string

type runPowershellArgs struct {
	Script   string `json:"script" doc:"the script to run in the workspace" min:"1"`
	TimeoutS int    `json:"timeout_s,omitzero" doc:"seconds after which the script is stopped; more than the usual limit needs a person's approval" min:"1"`
}

// shellData is the structured result of a run. Stdout and Stderr are cut in the middle beyond 256 KiB.
type shellData struct {
	Interpreter   string `json:"interpreter"`
	Stdout        string `json:"stdout"`
	Stderr        string `json:"stderr"`
	StdoutDropped int64  `json:"stdout_dropped,omitempty"` // bytes
	StderrDropped int64  `json:"stderr_dropped,omitempty"` // bytes
	Exit          *int   `json:"exit"`                     // null if the time limit ended the script
	TimedOut      bool   `json:"timed_out"`
	Killed        int    `json:"killed,omitempty"` // processes that outlived the script's group
	DurationMS    int64  `json:"duration_ms"`
}

// runPowershell returns the tool that runs a script.
func runPowershell() tools.Tool {
	return tools.Executor(tools.Spec{
		Name: "run_powershell", Summary: "Run a shell script in the workspace and return its output and exit code.",
		Effect: tools.Executes, Doc: runPowershellDoc,
	}, runScript)
}

func runScript(ctx context.Context, env tools.Env, in runPowershellArgs) (tools.Result, error) {
	if env.Workspace == nil {
		return tools.Result{}, env.Workspace.Check(".")
	}
	if err := checkScript(in.Script); err != nil {
		return tools.Result{}, err
	}
	variables := env.Shell.Environment()
	shell, err := tools.FindInterpreter(variables, env.Shell.FallbackShell())
	if err != nil {
		return tools.Result{}, err
	}
	if !shell.Powershell {
		if sign := powershellSign(in.Script); sign != "" {
			return tools.Result{}, tools.Refuse("this looks like PowerShell (%s), but PowerShell is not installed here: "+
				"scripts run in %s; rewrite it for that shell", sign, shell.Name)
		}
	}
	timeout, err := timeLimit(env.Shell, in.TimeoutS)
	if err != nil {
		return tools.Result{}, err
	}
	command, release, err := confinedCommand(ctx, env, sandbox.Command{
		Path: shell.Path, Args: shell.Args(env.Workspace.Primary(), in.Script), Dir: env.Workspace.Primary(),
		Env: variables, Timeout: timeout, KeepWhole: true, Follow: env.Output, FollowErrors: env.Errors,
	})
	if err != nil {
		return tools.Result{}, err
	}
	defer release()
	outcome, err := sandbox.Run(ctx, command)
	result := shellResult(shell, outcome, timeout, env.Limits)
	result.Script = in.Script
	if err != nil { // the error text does not include the output so far
		failed := tools.Failure(err)
		result.Text, result.Operator, result.Err, result.Failed, result.Exit = failed.Text, failed.Operator, err, true, nil
		result.Artifacts = artifacts(outcome, tools.Limits{})
	}
	return result, nil
}

// timeLimit returns the time limit of a script whose call names so many seconds; 0 means that it names none.
func timeLimit(shell tools.Shell, named int) (time.Duration, error) {
	usual := shell.TimeLimit()
	if named == 0 {
		return usual, nil
	}
	if most := max(usual, shell.MaxTimeout); float64(named) > most.Seconds() {
		return 0, tools.Refuse("timeout_s is %d, over the limit of %s; nothing was run", named, seconds(most))
	}
	return time.Duration(named) * time.Second, nil
}

// confinedCommand confines a command if configured, and returns an error if that is not possible. The caller must
// call release when the command has ended.
func confinedCommand(ctx context.Context, e tools.Env, command sandbox.Command) (_ sandbox.Command, release func(),
	err error) {
	if !e.Shell.Confine {
		return command, func() {}, nil
	}
	program, _, found := e.Program("bwrap")
	if !found {
		return command, nil, tools.Refuse("[shell] sandbox = \"workspace\" needs bubblewrap (bwrap), which is not " +
			"installed, so no script is run; use the file tools instead")
	}
	command, release, err = e.Workspace.Confine(ctx, command, sandbox.Confinement{Program: program,
		Network: e.Shell.Network, Frozen: e.Shell.Frozen})
	if errors.Is(err, sandbox.ErrNotConfined) {
		return command, nil, tools.Refuse("[shell] sandbox = \"workspace\" is not possible here, so no script is run; use "+
			"the file tools instead (%s)", tools.OneLine(err.Error(), 200))
	}
	return command, release, err
}

// checkScript rejects scripts that cannot be passed as one argument.
func checkScript(script string) error {
	switch {
	case len(script) > tools.MaxScriptBytes:
		return tools.Refuse("the script has %d bytes, more than the limit of %d; write it to a file with set_file_slice "+
			"and run that", len(script), tools.MaxScriptBytes)
	case strings.ContainsRune(script, 0):
		return tools.Refuse("the script contains a NUL character")
	case strings.TrimSpace(script) == "":
		return tools.Refuse("the script is empty")
	}
	return nil
}

// shellResult formats an outcome. The text has the form of Manual Slop's; prompts and the description of the tool
// name the interpreter.
func shellResult(i tools.Interpreter, o sandbox.Outcome, timeout time.Duration, limits tools.Limits) tools.Result {
	data := shellData{
		Interpreter: i.Name, Stdout: o.Stdout, Stderr: o.Stderr, TimedOut: o.TimedOut, Killed: o.Killed,
		StdoutDropped: o.StdoutDropped, StderrDropped: o.StderrDropped, DurationMS: o.Duration.Milliseconds(),
	}
	result := tools.Result{Interpreter: i.Name, Stderr: o.Stderr, Failed: true}
	half := tools.Limits{MaxChars: (limits.MaxChars - tools.MarkerChars) / 2, MaxLines: (limits.MaxLines - 4) / 2}
	if o.TimedOut {
		result.Text = "ERROR: timed out after " + seconds(timeout)
		if o.Stdout+o.Stderr != "" {
			result.Text += "\n" + streams(o, half)
		}
		result.Data, result.Artifacts = data, artifacts(o, tools.Limits{})
		return result
	}
	data.Exit = &o.Exit
	result.Data, result.Exit, result.Failed = data, &o.Exit, o.Exit != 0
	result.Artifacts = artifacts(o, half)
	result.Text = fmt.Sprintf("%s\nEXIT CODE: %d", streams(o, half), o.Exit)
	return result
}

// streams returns the head and tail of both streams, each within a limit.
func streams(o sandbox.Outcome, limits tools.Limits) string {
	return fmt.Sprintf("STDOUT:\n%s\nSTDERR:\n%s", squeeze(trimEnd(o.Stdout), limits), squeeze(trimEnd(o.Stderr), limits))
}

// artifacts returns the streams that do not fit into their part of an answer, or, without limits, all non-empty ones.
func artifacts(o sandbox.Outcome, limits tools.Limits) []tools.Artifact {
	var out []tools.Artifact
	add := func(name, text string, dropped int64, whole sandbox.Stream) {
		if len(whole.Data) > 0 && (dropped > 0 || !tools.Fits(trimEnd(text), limits)) {
			out = append(out, tools.Artifact{Name: name, Data: whole.Data, Cut: !whole.All})
		}
	}
	add("stdout", o.Stdout, o.StdoutDropped, o.StdoutWhole)
	add("stderr", o.Stderr, o.StderrDropped, o.StderrWhole)
	return out
}

// trimEnd removes one line end, because the format of the answer adds its own.
func trimEnd(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// squeeze keeps the first and the last lines of an output, because errors are
// at the end.
func squeeze(text string, limits tools.Limits) string {
	if tools.Fits(text, limits) {
		return text
	}
	lines := document.Lines(text)
	limits.MaxChars -= tools.MarkerChars / 2
	keep := max(limits.MaxLines-1, 2) / 2
	head, tail := min(keep, len(lines)), max(len(lines)-keep, keep)
	first := cutMiddleOf(text[:lines[head-1].Next], limits.MaxChars/2)
	if tail >= len(lines) {
		return tools.CutMiddle(text, limits.MaxChars)
	}
	last := cutMiddleOf(text[lines[tail].Start:], limits.MaxChars/2)
	if tail == head {
		return filetools.Closed(first) + last
	}
	return filetools.Closed(first) + fmt.Sprintf("… lines %d–%d of %d not shown …\n", head+1, tail, len(lines)) + last
}

// cutMiddleOf shortens a multi-line text to about n characters.
func cutMiddleOf(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return tools.CutMiddle(text, n)
}

// seconds formats a duration as "60s" or "0.5s".
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}
