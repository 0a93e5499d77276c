package llmtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm/script"
)

// player answers requests with the lines of a script.
type player struct {
	script   *script.Script
	thinking string
	assigner *script.Assigner
	tier     func(system string) int
	whole    map[string]int // by body: how often it was answered completely
}

func newPlayer(o Options) (*player, error) {
	s, err := script.Parse(strings.NewReader(visible(o.Script)))
	if err != nil {
		return nil, err
	}
	p := &player{script: s, thinking: o.Thinking, assigner: script.NewAssigner(s), tier: o.Tier, whole: map[string]int{}}
	if p.tier == nil {
		p.tier = tierOf
	}
	return p, nil
}

// visible returns a script without the conditions that no prompt contains: a contributor's track,
// and the ticket of the command that tier 4 reads about.
func visible(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		var line map[string]json.RawMessage
		if json.Unmarshal([]byte(l), &line) != nil {
			continue // the parser will report the error
		}
		switch string(line["tier"]) {
		case "4":
			delete(line, "ticket")
			delete(line, "track")
		case "3":
			delete(line, "track")
		default:
			continue
		}
		if out, err := json.Marshal(line); err == nil {
			lines[i] = string(out)
		}
	}
	return strings.Join(lines, "\n")
}

// tierOf finds the tier by a phrase of its system prompt.
func tierOf(system string) int {
	found := tierWords.FindStringSubmatch(system)
	if found == nil {
		return 0
	}
	return int(found[1][0] - '0')
}

var (
	tierWords     = regexp.MustCompile(`tier ([1-4]) of four`)
	ticketHeading = regexp.MustCompile(`(?m)^# Ticket (\S+)$`)
	trackHeading  = regexp.MustCompile(`(?m)^# Track brief\n\n([^\s:]+)`)
)

// answer returns the first unused line that matches. A body that was not answered completely
// before, because the client disconnected, gets its line again.
func (p *player) answer(v View) Turn {
	m := events.ModelRequested{Tier: p.tier(v.System), Provider: script.Name, Ticket: heading(ticketHeading, v),
		Track: heading(trackHeading, v)}
	digest := events.Digest(v.Body)
	id := fmt.Sprintf("%s-%d", digest, p.whole[digest])
	line, ok := p.assigner.Assign(&events.Event{ID: id, Payload: m}, v.Newest())
	if !ok {
		return Turn{Error: events.ModelInvalidRequest, Message: script.Exhausted(m).Message}
	}
	l, _ := p.script.Line(line)
	t := Turn{Thinking: p.thinking, Text: l.Reply.Text, Usage: l.Reply.Usage, Delay: l.Reply.Delay}
	for _, c := range l.Reply.Calls {
		t.Calls = append(t.Calls, Call{Name: c.Name, Args: c.Args})
	}
	if e := l.Reply.Error; e != nil {
		t.Error, t.Message, t.RetryAfter = e.Kind, e.Message, e.RetryAfter
	}
	return t
}

func (p *player) finished(v View) { p.whole[events.Digest(v.Body)]++ }

// heading finds a name in the first user message.
func heading(pattern *regexp.Regexp, v View) string {
	if len(v.Messages) == 0 {
		return ""
	}
	found := pattern.FindStringSubmatch(v.Messages[0].Text)
	if found == nil {
		return ""
	}
	return found[1]
}
