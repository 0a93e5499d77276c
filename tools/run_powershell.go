package tools

import (
	"context"
	_ "embed" // for the long text
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"manualslop/tools/document"
	"manualslop/tools/sandbox"
)

//go:embed run_powershell.md
var runPowershellDoc string

type runPowershellArgs struct {
	Script string `json:"script" doc:"the script to run in the workspace" min:"1"`
}

// shellData is the structured twin of a run. Stdout and Stderr are cut in the middle over 256 KiB.
type shellData struct {
	Interpreter   string `json:"interpreter"`
	Stdout        string `json:"stdout"`
	Stderr        string `json:"stderr"`
	StdoutDropped int64  `json:"stdout_dropped,omitempty"` // bytes
	StderrDropped int64  `json:"stderr_dropped,omitempty"` // bytes
	Exit          *int   `json:"exit"`                     // null where the time limit ended the script
	TimedOut      bool   `json:"timed_out"`
	Killed        int    `json:"killed,omitempty"` // processes that outlived the script's group
	DurationMS    int64  `json:"duration_ms"`
}

// runPowershell runs a script.
func runPowershell() Tool {
	return Executor(Spec{
		Name: "run_powershell", Summary: "Run a shell script in the workspace and return its output and exit code.",
		Effect: Executes, Doc: runPowershellDoc,
	}, runScript)
}

func runScript(ctx context.Context, env Env, in runPowershellArgs) (Result, error) {
	if env.Workspace == nil {
		return Result{}, env.Workspace.Check(".")
	}
	if err := checkScript(in.Script); err != nil {
		return Result{}, err
	}
	variables := env.Shell.environment()
	shell, err := findInterpreter(variables, env.Shell.fallback())
	if err != nil {
		return Result{}, err
	}
	if !shell.powershell {
		if sign := powershellSign(in.Script); sign != "" {
			return Result{}, Refuse("this looks like PowerShell (%s), but PowerShell is not installed here: scripts run in %s; write it for that", sign, shell.name)
		}
	}
	timeout := env.Shell.timeout()
	command, release, err := env.confined(ctx, sandbox.Command{
		Path: shell.path, Args: shell.args(env.Workspace.Primary(), in.Script), Dir: env.Workspace.Primary(),
		Env: variables, Timeout: timeout, KeepWhole: true,
	})
	if err != nil {
		return Result{}, err
	}
	defer release()
	outcome, err := sandbox.Run(ctx, command)
	result := shell.result(outcome, timeout, env.Limits)
	result.Script = in.Script
	if err != nil { // the text holds nothing of what it said until then
		failed := Failure(err)
		result.Text, result.Operator, result.Err, result.Failed, result.Exit = failed.Text, failed.Operator, err, true, nil
		result.Artifacts = artifacts(outcome, Limits{})
	}
	return result, nil
}

// confined puts a command behind walls where the configuration wants that, and refuses where it
// cannot be done. Release must be called when the command has ended.
func (e Env) confined(ctx context.Context, command sandbox.Command) (_ sandbox.Command, release func(), err error) {
	if !e.Shell.Confine {
		return command, func() {}, nil
	}
	program, _, found := e.program("bwrap")
	if !found {
		return command, nil, Refuse("[shell] sandbox = \"workspace\" needs bubblewrap (bwrap), which is not installed, so no script is run; use the file tools instead")
	}
	command, release, err = e.Workspace.Confine(ctx, command, sandbox.Confinement{Program: program, Network: e.Shell.Network, Frozen: e.Shell.Frozen})
	if errors.Is(err, sandbox.ErrNotConfined) {
		return command, nil, Refuse("[shell] sandbox = \"workspace\" is not possible here, so no script is run; use the file tools instead (%s)", oneLine(err.Error(), 200))
	}
	return command, release, err
}

// checkScript refuses scripts that cannot be handed over as one argument.
func checkScript(script string) error {
	switch {
	case len(script) > maxScriptBytes:
		return Refuse("the script has %d bytes, more than the limit of %d; write it to a file with set_file_slice and run that", len(script), maxScriptBytes)
	case strings.ContainsRune(script, 0):
		return Refuse("the script contains a NUL character")
	case strings.TrimSpace(script) == "":
		return Refuse("the script is empty")
	}
	return nil
}

// result words an outcome. The text has the form of the original; a first line names the
// interpreter where it is not PowerShell.
func (i interpreter) result(o sandbox.Outcome, timeout time.Duration, limits Limits) Result {
	data := shellData{
		Interpreter: i.name, Stdout: o.Stdout, Stderr: o.Stderr, TimedOut: o.TimedOut, Killed: o.Killed,
		StdoutDropped: o.StdoutDropped, StderrDropped: o.StderrDropped, DurationMS: o.Duration.Milliseconds(),
	}
	result := Result{Interpreter: i.name, Stderr: o.Stderr, Failed: true}
	if o.TimedOut {
		result.Text = "ERROR: timed out after " + seconds(timeout)
		result.Data, result.Artifacts = data, artifacts(o, Limits{})
		return result
	}
	data.Exit = &o.Exit
	result.Data, result.Exit, result.Failed = data, &o.Exit, o.Exit != 0
	head := ""
	if !i.powershell {
		head = "INTERPRETER: " + i.name + " (PowerShell is not installed)\n"
	}
	half := Limits{MaxChars: (limits.MaxChars - markerChars) / 2, MaxLines: (limits.MaxLines - 4) / 2}
	result.Artifacts = artifacts(o, half)
	result.Text = fmt.Sprintf("%sSTDOUT:\n%s\nSTDERR:\n%s\nEXIT CODE: %d",
		head, squeeze(trimEnd(o.Stdout), half), squeeze(trimEnd(o.Stderr), half), o.Exit)
	return result
}

// artifacts are the streams that do not fit into their part of an answer; without limits, all that
// are not empty.
func artifacts(o sandbox.Outcome, limits Limits) []Artifact {
	var out []Artifact
	add := func(name, text string, dropped int64, whole sandbox.Stream) {
		if len(whole.Data) > 0 && (dropped > 0 || !fits(trimEnd(text), limits)) {
			out = append(out, Artifact{Name: name, Data: whole.Data, Cut: !whole.All})
		}
	}
	add("stdout", o.Stdout, o.StdoutDropped, o.StdoutWhole)
	add("stderr", o.Stderr, o.StderrDropped, o.StderrWhole)
	return out
}

// trimEnd drops one line end, because the form of the answer brings its own.
func trimEnd(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// squeeze keeps the first and the last lines of an output, because errors stand at the end.
func squeeze(text string, limits Limits) string {
	if fits(text, limits) {
		return text
	}
	lines := document.Lines(text)
	limits.MaxChars -= markerChars / 2
	keep := max(limits.MaxLines-1, 2) / 2
	head, tail := min(keep, len(lines)), max(len(lines)-keep, keep)
	first := cutMiddleOf(text[:lines[head-1].Next], limits.MaxChars/2)
	if tail >= len(lines) {
		return cutMiddle(text, limits.MaxChars)
	}
	last := cutMiddleOf(text[lines[tail].Start:], limits.MaxChars/2)
	if tail == head {
		return closed(first) + last
	}
	return closed(first) + fmt.Sprintf("… lines %d–%d of %d not shown …\n", head+1, tail, len(lines)) + last
}

// cutMiddleOf shortens a text of several lines to about n characters.
func cutMiddleOf(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return cutMiddle(text, n)
}

// seconds writes a duration as "60s" or "0.5s".
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}
