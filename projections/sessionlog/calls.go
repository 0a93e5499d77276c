package sessionlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
)

// shellTool is the tool whose scripts are stored.
const shellTool = "run_powershell"

// call renders events about tool calls; it returns nothing for other events.
func (r *Renderer) call(e *events.Event) []Append {
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		r.calls[p.Call] = &toolCall{requested: p}
	case events.ToolApproved:
		r.calls[p.Call].approved = p
	case events.ToolDenied:
		return r.over(e, r.ends(p.Call), "denied", "denied by "+p.By, p.Reason)
	case events.ToolSettled:
		return r.settled(e, p)
	case events.HintGiven:
		return r.analysed(e, p)
	case events.HintSkipped:
		delete(r.failures, p.Call)
	case events.ToolParked:
		return r.record(e, r.calls[p.Call], outcome{word: fmt.Sprintf("given up after %d deliveries", p.Deliveries),
			text: p.Reason})
	case events.InterruptResolved:
		if p.Resolution == events.InterruptRetry {
			return nil
		}
		return r.over(e, r.ends(p.Call), p.Resolution, p.Resolution+", says "+p.By, p.Reason)
	}
	return nil
}

// over renders the end of a call that did not run.
func (r *Renderer) over(e *events.Event, c *toolCall, what, word, reason string) []Append {
	text, file, pieces := r.body("result", reason, nil)
	pieces = append(pieces, resultLine(e, c, result{Outcome: what, Text: text, TextFile: file}))
	return append(pieces, r.record(e, c, outcome{word: word, text: text, file: file})...)
}

// ends removes and returns a call that has its final result.
func (r *Renderer) ends(id string) *toolCall {
	c := r.calls[id]
	delete(r.calls, id)
	return c
}

func (r *Renderer) settled(e *events.Event, p events.ToolSettled) []Append {
	c := r.calls[p.Call]
	if p.Outcome != events.ToolInterrupted {
		r.ends(p.Call)
	}
	text, file, pieces := r.body("result", p.Text, p.TextBlob)
	o := outcome{word: p.Outcome, text: text, file: file, exit: p.Exit, ms: p.DurationMS}
	script, isScript := scriptOf(c)
	if isScript {
		r.scripts++
		o.script = fmt.Sprintf("%s/%s_%04d%s", Scripts, e.Time.UTC().Format("20060102_150405"), r.scripts,
			extension(p.Interpreter))
		pieces = append(pieces, Append{File: o.script, Bytes: []byte(script)})
	}
	if isScript || p.Interpreter != "" {
		pieces = append(pieces, r.ran(e, p, script, o)...)
	}
	if p.TextBlob == nil {
		p.Data = withoutText(p.Data, p.Text)
	}
	data, dataFile, files := r.jsonBody("data", p.Data)
	pieces = append(pieces, files...)
	pieces = append(pieces, resultLine(e, c, result{Outcome: p.Outcome, Text: text, TextFile: file, Data: data,
		DataFile: dataFile, Exit: p.Exit, DurationMS: p.DurationMS}))
	pieces = append(pieces, r.record(e, c, o)...)
	if isScript && p.Outcome == events.ToolFailed {
		r.failures[p.Call] = r.records
	}
	return pieces
}

// analysed renders tier 4's analysis of a failed script, in the form in which models read it.
func (r *Renderer) analysed(e *events.Event, p events.HintGiven) []Append {
	n, open := r.failures[p.Call]
	if !open {
		return nil
	}
	delete(r.failures, p.Call)
	return []Append{{File: ToolCalls, Bytes: fmt.Appendf(nil, "## Call %d: QA analysis\n\n- time: %s\n- call: %s\n"+
		"- tier: Tier 4\n\n%s\n---\n\n", n, stamp(e.Time), inline(p.Call), fenced("", "QA ANALYSIS:\n"+p.Hint))}}
}

// withoutText returns a result's data without a member that repeats its text. Inside a JSON string
// every quote is escaped, so only a member can match.
func withoutText(data json.RawMessage, text string) json.RawMessage {
	if text == "" || len(data) <= len(text) {
		return data
	}
	quoted, err := json.Marshal(text) // in the same form as in the event
	before, after, found := bytes.Cut(data, append([]byte(`,"text":`), quoted...))
	if err != nil || !found {
		return data
	}
	return slices.Concat(before, after)
}

// scriptOf returns the script of a shell call exactly as approved.
func scriptOf(c *toolCall) (string, bool) {
	if c.requested.Tool != shellTool {
		return "", false
	}
	var args struct {
		Script *string `json:"script"`
	}
	if json.Unmarshal(c.approved.Args, &args) != nil || args.Script == nil {
		return "", false
	}
	return *args.Script, true
}

// extension returns the file extension for the shell that ran a script. If no interpreter is
// recorded, it is PowerShell's, after the tool's name.
func extension(interpreter string) string {
	name := strings.ToLower(interpreter)
	if name == "" || strings.Contains(name, "pwsh") || strings.Contains(name, "powershell") {
		return ".ps1"
	}
	return ".sh"
}

// cliRun is one line of clicalls.log. Long texts are in files.
type cliRun struct {
	Time        string    `json:"ts"`
	Timestamp   string    `json:"timestamp"` // the same as ts
	ID          string    `json:"id"`
	Call        string    `json:"call"`
	Command     string    `json:"command"`
	Stdin       string    `json:"stdin"`
	StdinFile   *bodyFile `json:"stdin_file,omitempty"`
	StdinSHA256 string    `json:"stdin_sha256,omitempty"` // of a prompt, which is in comms.log
	StdinSize   int64     `json:"stdin_size,omitempty"`
	Stdout      string    `json:"stdout"`
	OutputFile  *bodyFile `json:"output_file,omitempty"`
	Stderr      string    `json:"stderr"`
	StderrFile  *bodyFile `json:"stderr_file,omitempty"`
	Exit        *int      `json:"exit_code"`
	Outcome     string    `json:"outcome"`
	Session     string    `json:"session,omitempty"`   // of a provider's program
	OwnTools    []string  `json:"own_tools,omitempty"` // tools that the program reports having run itself
	Latency     float64   `json:"latency"`             // in seconds
}

// ran renders the run of a program, after the files to which it refers.
func (r *Renderer) ran(e *events.Event, p events.ToolSettled, script string, o outcome) []Append {
	run := cliRun{Time: stamp(e.Time), Timestamp: stamp(e.Time), ID: e.ID, Call: p.Call, Command: p.Interpreter,
		Stdin: script, Exit: p.Exit, Outcome: p.Outcome, Latency: float64(p.DurationMS) / 1000}
	if len(script) > MaxBody {
		run.Stdin, run.StdinFile = "", &bodyFile{Name: o.script, Size: int64(len(script)),
			SHA256: events.Digest([]byte(script))}
	}
	var pieces, files []Append
	stdout, stderr, raw := streamsOf(p.Data)
	switch {
	case raw:
		run.Stdout, run.OutputFile, pieces = r.body("stdout", stdout.text, stdout.whole)
	case o.file != nil: // all that is on record is the answer
		run.OutputFile = o.file
	default:
		run.Stdout = stdoutOf(p.Text)
	}
	if !raw {
		stderr.text = p.Stderr
	}
	run.Stderr, run.StderrFile, files = r.body("stderr", stderr.text, stderr.whole)
	return slices.Concat(pieces, files, []Append{{File: CLICalls, Bytes: line(run)}})
}

// stream is what a program wrote to one of its outputs.
type stream struct {
	text  string
	whole *events.BlobRef // set if text is only a part
}

// streamsOf returns the outputs of a program from a result's data; false if it has none.
func streamsOf(data json.RawMessage) (stdout, stderr stream, found bool) {
	var ran struct {
		Stdout, Stderr *string
		Artifacts      []struct {
			Name string
			events.BlobRef
		}
	}
	if json.Unmarshal(data, &ran) != nil || ran.Stdout == nil || ran.Stderr == nil {
		return stream{}, stream{}, false
	}
	stdout.text, stderr.text = *ran.Stdout, *ran.Stderr
	for _, a := range ran.Artifacts {
		switch a.Name {
		case "stdout":
			stdout.whole = &a.BlobRef
		case "stderr":
			stderr.whole = &a.BlobRef
		}
	}
	return stdout, stderr, true
}

// stdoutOf returns the output in "STDOUT:\n…\nSTDERR:\n…\nEXIT CODE: n", below a line with the
// interpreter if it is not PowerShell. A text in another format counts as output.
func stdoutOf(text string) string {
	if head, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(head, "INTERPRETER: ") {
		text = rest
	}
	body, ok := strings.CutPrefix(text, "STDOUT:\n")
	if !ok {
		return text
	}
	if i := strings.LastIndex(body, "\nSTDERR:\n"); i >= 0 {
		return body[:i]
	}
	return strings.TrimPrefix(body, "STDERR:\n")
}
