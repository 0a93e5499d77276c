package sessionlog

import (
	"encoding/json"
	"fmt"
	"strings"

	"manualslop/events"
)

// shellTool is the tool whose scripts are kept.
const shellTool = "run_powershell"

// call renders facts about tool calls; none for any other.
func (r *Renderer) call(e *events.Event) []Append {
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		r.calls[p.Call] = &toolCall{requested: p}
	case events.ToolApproved:
		r.calls[p.Call].approved = p
	case events.ToolDenied:
		c := r.ends(p.Call)
		return []Append{
			resultLine(e, c, result{Outcome: "denied", Text: p.Reason}),
			r.record(e, c, outcome{word: "denied by " + p.By, text: p.Reason}),
		}
	case events.ToolSettled:
		return r.settled(e, p)
	case events.ToolParked:
		return []Append{r.record(e, r.calls[p.Call], outcome{word: fmt.Sprintf("given up after %d deliveries", p.Deliveries), text: p.Reason})}
	case events.InterruptResolved:
		if p.Resolution == events.InterruptRetry {
			return nil
		}
		c := r.ends(p.Call)
		return []Append{
			resultLine(e, c, result{Outcome: p.Resolution, Text: p.Reason}),
			r.record(e, c, outcome{word: p.Resolution + ", says " + p.By, text: p.Reason}),
		}
	}
	return nil
}

// ends forgets a call that has its last word.
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
	o := outcome{word: p.Outcome, text: p.Text, exit: p.Exit, blob: p.TextBlob, ms: p.DurationMS}
	var pieces []Append
	script, isScript := scriptOf(c)
	if isScript {
		r.scripts++
		o.script = fmt.Sprintf("%s/%s_%04d%s", Scripts, e.Time.UTC().Format("20060102_150405"), r.scripts, extension(p.Interpreter))
		pieces = append(pieces, Append{o.script, []byte(script)})
	}
	if isScript || p.Interpreter != "" {
		pieces = append(pieces, Append{CLICalls, cliLine(e, p, script)})
	}
	return append(pieces,
		resultLine(e, c, result{Outcome: p.Outcome, Text: p.Text, TextBlob: p.TextBlob, Data: p.Data, Exit: p.Exit, DurationMS: p.DurationMS}),
		r.record(e, c, o))
}

// scriptOf is the script of a shell call, exactly as it was approved.
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

// extension tells the shell that ran a script. One whose interpreter nobody
// recorded was written for PowerShell, as the tool's name says.
func extension(interpreter string) string {
	name := strings.ToLower(interpreter)
	if name == "" || strings.Contains(name, "pwsh") || strings.Contains(name, "powershell") {
		return ".ps1"
	}
	return ".sh"
}

// cliLine is one line of clicalls.log.
func cliLine(e *events.Event, p events.ToolSettled, script string) []byte {
	return line(struct {
		Time    string  `json:"ts"`
		ID      string  `json:"id"`
		Call    string  `json:"call"`
		Command string  `json:"command"`
		Stdin   string  `json:"stdin"`
		Stdout  string  `json:"stdout"`
		Stderr  string  `json:"stderr"`
		Exit    *int    `json:"exit_code"`
		Outcome string  `json:"outcome"`
		Latency float64 `json:"latency"` // in seconds
	}{stamp(e.Time), e.ID, p.Call, p.Interpreter, script, stdoutOf(p.Text), p.Stderr, p.Exit, p.Outcome, float64(p.DurationMS) / 1000})
}

// stdoutOf cuts the output out of "STDOUT:\n…\nSTDERR:\n…\nEXIT CODE: n". A
// text of another form is all output.
func stdoutOf(text string) string {
	body, ok := strings.CutPrefix(text, "STDOUT:\n")
	if !ok {
		return text
	}
	if i := strings.LastIndex(body, "\nSTDERR:\n"); i >= 0 {
		return body[:i]
	}
	return strings.TrimPrefix(body, "STDERR:\n")
}
