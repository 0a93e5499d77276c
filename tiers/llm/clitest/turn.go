package clitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm/script"
	"manualslop/tiers/llm/texttools"
)

// turn is the model's answer to a prompt.
type turn struct {
	text  string // with the calls as blocks
	plain string // without calls
	calls []script.Call
	usage events.Usage
	// failed is the kind of error to report instead; empty if none.
	failed string
}

var (
	markOf   = regexp.MustCompile(`Only headings with the mark ([0-9a-f]+) begin`)
	ticketOf = regexp.MustCompile(`(?m)^# Ticket (\S+)$`)
)

// tierOf finds the tier by a phrase of its system prompt.
func tierOf(prompt string) int {
	for tier, words := range []string{1: "tier 1 of four", 2: "tier 2 of four", 3: "You are a contributor",
		4: "output of one failed command"} {
		if words != "" && strings.Contains(prompt, words) {
			return tier
		}
	}
	return 0
}

// next returns the model's turn: the first unused line of the script that matches the prompt.
func (f *fake) next(prompt string) (turn, error) {
	raw, err := os.ReadFile(f.script)
	if err != nil {
		return turn{}, err
	}
	s, err := script.Parse(bytes.NewReader(raw))
	if err != nil {
		return turn{}, err
	}
	mark, newest := "", prompt
	if found := markOf.FindStringSubmatch(prompt); found != nil {
		mark = found[1]
		newest = prompt[lastHeading(prompt, mark):]
	}
	tier, ticket := tierOf(prompt), ""
	if found := ticketOf.FindStringSubmatch(prompt); found != nil {
		ticket = found[1]
	}
	for _, l := range s.Lines() {
		fits := l.Tier == tier && (ticket == "" || l.Ticket == "" || l.Ticket == ticket) &&
			strings.Contains(newest, l.Contains)
		if fits && f.claim(l.Number) {
			return said(l.Reply, mark), nil
		}
	}
	return turn{}, fmt.Errorf("clitest: no line of %s is left for tier %d, ticket %q", f.script, tier, ticket)
}

// lastHeading returns the start of the newest message: after the last assistant turn, since
// several results may follow it.
func lastHeading(prompt, mark string) int {
	if at := strings.LastIndex(prompt, "\n## Assistant "+mark+"\n"); at >= 0 {
		return at
	}
	return max(0, strings.LastIndex(prompt, "\n## User "+mark+"\n"))
}

// claim takes a line for this run; it returns false if another run took it.
func (f *fake) claim(number int) bool {
	folder := f.script + ".used"
	_ = os.MkdirAll(folder, 0o755)
	return os.Mkdir(filepath.Join(folder, fmt.Sprint(number)), 0o755) == nil
}

// said returns a reply as the model writes it.
func said(r script.Reply, mark string) turn {
	parts := []string{}
	if r.Text != "" {
		parts = append(parts, r.Text)
	}
	for _, c := range r.Calls {
		parts = append(parts, texttools.Block(c.Name, json.RawMessage(c.Args), mark))
	}
	t := turn{text: strings.Join(parts, "\n\n"), plain: r.Text, calls: r.Calls}
	if r.Usage != nil {
		t.usage = *r.Usage
	}
	if r.Error != nil {
		t.failed = r.Error.Kind
	}
	return t
}

// pieces returns a text in the pieces in which it is streamed.
func pieces(text string) []string {
	var out []string
	for rest := []rune(text); len(rest) > 0; {
		n := min(len(rest), 17)
		out = append(out, string(rest[:n]))
		rest = rest[n:]
	}
	return out
}

// complaint returns the text of a vendor's error as a program prints it.
func complaint(kind string) string {
	switch kind {
	case events.ModelRateLimited:
		return "exceeded retry limit, last status: 429 Too Many Requests"
	case events.ModelOverloaded:
		return "API Error: 529 Overloaded"
	case events.ModelContextTooLong:
		return "the input exceeds the context window of this model: context length exceeded"
	case events.ModelAuth:
		return "unexpected status 401 Unauthorized"
	case events.ModelRefused:
		return "stopped: SAFETY"
	case events.ModelNetwork:
		return "fetch failed: ECONNRESET"
	}
	return "400 Bad Request"
}

// Complaints returns the kinds of error that a fake can report.
func Complaints() []string {
	return []string{events.ModelRateLimited, events.ModelOverloaded, events.ModelContextTooLong, events.ModelAuth,
		events.ModelRefused, events.ModelNetwork, events.ModelInvalidRequest}
}

// cut returns the index in pieces at which a fault happens.
func cut(pieces []string) int { return len(pieces) / 2 }

// broke acts out a fault in the middle of the text.
func (f *fake) broke() error {
	switch f.fault {
	case NoEnd:
		end(0)
	case Crash:
		return rejects(1, "it crashed")
	case HalfLine:
		fmt.Fprint(os.Stdout, `{"type":"assistant","jsonrpc":"2.0","me`)
		end(0)
	case Stall:
		select {}
	case Noise:
		fmt.Fprint(os.Stdout, "Loading…\n\n[1]\n{}\n{\"type\":\"of "+
			"tomorrow\",\"role\":7}\n{\"type\":7}\n{\"jsonrpc\":\"2.0\",\"method\":\"of/tomorrow\",\"params\":[]}\n")
	}
	return nil
}

// quote returns a JSON string.
func quote(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(out)
}
