package approval

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/events/policy/commands"
	"manualslop/tiers"
)

// Limits for parts of approval's facts, in bytes. JSON is measured as it is written to the log,
// where some characters are escaped.
const (
	// MaxPosted limits the question of /api/ask, and the response to it, as JSON. A larger
	// question is never raised.
	MaxPosted = 256 << 10
	// MaxPrompt limits the prompt that a user wrote for a ticket, with its files, as JSON.
	MaxPrompt = events.MaxInline
	// MaxStep limits a user's changes to a step, as JSON.
	MaxStep = 128 << 10
	// MaxPlan limits the tickets that a user gives for a plan, as JSON; a plan of the lead always
	// fits.
	MaxPlan = 384 << 10
	// MaxPatterns limits the patterns of a rule that a user creates from an ask.
	MaxPatterns = 100
	// MaxUndo limits the files of one undo, as JSON; the files of one outcome
	// always fit.
	MaxUndo = 256 << 10
	// MaxTake limits a user's resolution of files in conflict, as JSON.
	MaxTake = 48 << 10
	// MaxReason limits the reason of an answer.
	MaxReason = 4 << 10
	// MaxNote limits a text that is copied from another event; a longer one is cut.
	MaxNote = 4 << 10
	// MaxDiff limits a diff as a JSON string; a longer one is not shown.
	MaxDiff = 256 << 10
	// MaxTitle limits a title, in characters; a longer one is cut.
	MaxTitle = 120
)

// Limits of how long an ask may wait.
const (
	// DefaultAskWait is the default for /api/ask if neither the question nor the
	// settings set a time.
	DefaultAskWait = 60 * time.Second
	// MaxAskWait is the maximum for /api/ask.
	MaxAskWait = 24 * time.Hour
	// MaxGateWait is the maximum for gates that are configured to expire.
	MaxGateWait = 365 * 24 * time.Hour
)

// span returns a number of milliseconds as a duration, at most most.
func span(ms int64, most time.Duration) time.Duration {
	if ms > most.Milliseconds() {
		return most
	}
	return time.Duration(ms) * time.Millisecond
}

// stored returns JSON as it will be in the log.
func stored(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	b, err := json.Marshal(raw)
	if err != nil {
		panic("approval: " + err.Error()) // raw comes from an event, so it is valid JSON
	}
	return b
}

// sizeOf returns the size of a text as a JSON string.
func sizeOf(text string) int {
	b, err := json.Marshal(text)
	if err != nil {
		panic("approval: " + err.Error()) // a string cannot fail
	}
	return len(b)
}

// line turns a text into one printable line, at most MaxTitle characters long.
func line(s string) string {
	s = chars.Trim(strings.Map(func(r rune) rune {
		if chars.Printable(r) {
			return r
		}
		return ' '
	}, tiers.Clip(s, 8*MaxTitle)))
	if rs := []rune(s); len(rs) > MaxTitle {
		return string(rs[:MaxTitle-1]) + "…"
	}
	return s
}

// firstLine returns a text up to its first line break.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// seconds returns the time limit that a call of the shell names, in seconds; 0 if it names none. Older decisions know
// none.
func (s *State) seconds(c *call) float64 {
	var named struct {
		TimeoutS float64 `json:"timeout_s"`
	}
	if c.request.Tool != commands.Tool || s.basis.Decision(events.ActorApproval) < 2 ||
		json.Unmarshal(c.args, &named) != nil {
		return 0
	}
	return named.TimeoutS
}

// timeLimit returns the time limit of a call in milliseconds.
func (s *State) timeLimit(c *call) int64 {
	if n := s.seconds(c); n > 0 {
		return int64(n * 1000)
	}
	return s.settings.ToolTimeoutMS
}

// tooLate returns why a call asks for more time than any call may have, or "".
func (s *State) tooLate(c *call) string {
	most := max(s.settings.ToolTimeoutMS, s.settings.MaxToolTimeoutMS)
	if n := s.seconds(c); n*1000 > float64(most) {
		return fmt.Sprintf("timeout_s is %.0f, over the limit of %d s ([shell] max_timeout_s)", n, most/1000)
	}
	return ""
}

// overTime returns that a call asks for more time than rules can allow, or "".
func (s *State) overTime(c *call) string {
	if n := s.seconds(c); n*1000 > float64(s.settings.ToolTimeoutMS) {
		return fmt.Sprintf("it may run for %.0f s, longer than [shell] timeout_s (%d s)", n, s.settings.ToolTimeoutMS/1000)
	}
	return ""
}
