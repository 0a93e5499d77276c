package sessionlog

import (
	"strconv"
	"strings"

	"manualslop/events"
)

// providerRun renders the run of a model provider's program as a line of clicalls.log, after the
// files to which it refers. Its call is the request to the model, whose record contains the
// prompt.
func (r *Renderer) providerRun(e *events.Event, request, outcome string, c *events.CLICall) []Append {
	if c == nil {
		return nil
	}
	run := cliRun{Time: stamp(e.Time), Timestamp: stamp(e.Time), ID: e.ID, Call: request, Command: commandLine(c.Command),
		StdinSHA256: c.StdinSHA256, StdinSize: c.StdinSize, Exit: c.Exit, Outcome: outcome, Session: c.Session,
		OwnTools: c.OwnTools,
		Latency:  float64(c.LatencyMS) / 1000}
	var pieces, files []Append
	run.Stdout, run.OutputFile, pieces = r.body("stdout", c.Stdout, nil)
	run.Stderr, run.StderrFile, files = r.body("stderr", c.Stderr, nil)
	return append(append(pieces, files...), Append{File: CLICalls, Bytes: line(run)})
}

// commandLine returns a program and its arguments as text for people; arguments with blanks are
// quoted.
func commandLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; w == "" || strings.ContainsAny(w, " \t\r\n\"") {
			out[i] = strconv.Quote(w)
		}
	}
	return strings.Join(out, " ")
}
