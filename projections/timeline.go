package projections

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"manualslop/events"
)

// Row is one event on the timeline.
type Row struct {
	Seq     uint64    `json:"seq"`
	Time    time.Time `json:"time"`
	Actor   string    `json:"actor"`
	Type    string    `json:"type"`
	Corr    string    `json:"corr,omitempty"`
	Summary string    `json:"summary,omitempty"`
}

// Limits of the timeline: the newest MaxTimeline rows are kept, and up to timelineSlack more
// before old ones are removed.
const (
	MaxTimeline   = 10_000
	timelineSlack = 1_000
)

type rows struct {
	Rows    []Row  `json:"rows"`
	Dropped uint64 `json:"dropped"` // number of removed rows, which are still in the log
}

var timeline = Fold[*rows]{
	Name: "timeline", Version: 3,
	New: func() *rows { return &rows{} },
	Apply: func(r *rows, e *events.Event) *rows {
		switch e.Payload.(type) {
		case nil, events.Unknown, events.Malformed:
			return r
		}
		if over := len(r.Rows) - MaxTimeline; over >= timelineSlack {
			r.Rows = append(make([]Row, 0, MaxTimeline+timelineSlack+1), r.Rows[over:]...)
			r.Dropped += uint64(over)
		}
		r.Rows = append(r.Rows, Row{e.Seq, e.Time, e.Actor, e.Type, e.Corr, Summarize(e.Payload)})
		return r
	},
}

// Timeline returns at most limit rows after a sequence, oldest first. A limit below 1 means all
// kept rows, which are at least the newest MaxTimeline; see TimelineDropped. The result is shared
// and must not be modified.
func (s *Set) Timeline(after uint64, limit int) []Row {
	all := stateOf(s, timeline).Rows
	from, _ := slices.BinarySearchFunc(all, after+1, func(r Row, seq uint64) int {
		switch {
		case r.Seq < seq:
			return -1
		case r.Seq > seq:
			return 1
		}
		return 0
	})
	all = all[from:]
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return all[:len(all):len(all)]
}

// TimelineDropped returns the number of old rows that are no longer kept.
func (s *Set) TimelineDropped() uint64 { return stateOf(s, timeline).Dropped }

// MaxSummary limits the summary of an event, in bytes.
const MaxSummary = 120

// Summarize describes a payload in a few words: on one line, in at most MaxSummary bytes. It
// returns "" if the type is enough.
func Summarize(p events.Payload) string {
	switch x := p.(type) {
	case events.SessionOpened:
		return head(x.Folder)
	case events.SessionClosed:
		return head(x.Reason)
	case events.SessionStalled:
		return head(x.Reason)
	case events.SessionResumed:
		return head(x.Decider)
	case events.DecisionsUpgraded:
		return head(x.Basis.Program)
	case events.TierChanged, events.ProviderChanged, events.SettingsChanged, events.RetrievalChanged:
		return head(given(x))
	case events.RuleAdded:
		return head(x.Rule.Action + " " + x.Rule.Tool)
	case events.GoalSubmitted:
		return head(x.Goal)
	case events.TracksProposed:
		return count(len(x.Tracks), "track")
	case events.PlanSkipped:
		return "one ticket is enough"
	case events.TrackStarted:
		return head(x.Track.Title)
	case events.TrackBlocked:
		return head(x.Reason)
	case events.GoalFailed:
		return head(x.Reason)
	case events.PlanningFailed:
		return head(x.Error)
	case events.TicketsPlanned:
		return count(len(x.Tickets), "ticket")
	case events.TicketsAdded:
		return head(x.Track.Title)
	case events.WorkerSpawnRequested:
		return head(x.Prompt)
	case events.GraphMutated:
		return count(len(x.Ops), "operation")
	case events.ControlRefused:
		return head(x.Kind + ": " + x.Reason)
	case events.HookCalled:
		return head(x.Method + " " + x.Path + " " + strconv.Itoa(x.Status))
	case events.EventPushed:
		return head(x.Kind)
	case events.WorkerLost:
		return head(x.Worker)
	case events.SessionStarred:
		return map[bool]string{true: "kept", false: "no longer kept"}[x.On]
	case events.LogsPruned:
		return head(x.Reason)
	case events.GUITaskQueued:
		return head(string(x.Task))
	case events.GUITaskFailed:
		return head(x.Error)
	}
	if s := summarizeTicket(p); s != "" {
		return s
	}
	if s := summarizeCall(p); s != "" {
		return s
	}
	if s := summarizeIsolation(p); s != "" {
		return s
	}
	return summarizeAsk(p)
}

// given returns the changed settings as JSON without the outer braces.
func given(change events.Payload) string {
	b, err := json.Marshal(change)
	if err != nil {
		return ""
	}
	return strings.Trim(string(b), "{}")
}

func summarizeTicket(p events.Payload) string {
	switch x := p.(type) {
	case events.TicketStarted:
		return head("attempt " + strconv.Itoa(x.Attempt) + " on " + x.Model)
	case events.TicketResolved:
		if x.Reason != "" {
			return head(x.Outcome + ": " + x.Reason)
		}
		return head(x.Outcome)
	case events.TicketBlocked:
		return head(x.Kind + ": " + x.Reason)
	case events.TicketReviewed:
		return head(strings.TrimSuffix(x.Verdict+": "+strings.Join(x.Reasons, "; "), ": "))
	case events.TicketRetried:
		return head("retry " + strconv.Itoa(x.RetryCount) + ": " + x.Reason)
	case events.TicketNoted:
		return head("by " + x.By + ": " + x.Note)
	case events.TicketKilled:
		return head("by " + x.By)
	case events.TurnRequested:
		if x.Compact {
			return head(strings.TrimSuffix(x.Discussion+": compact: "+x.Text, ": "))
		}
		return head(x.Discussion + ": " + x.Text)
	case events.TurnEnded:
		return head(strings.TrimSuffix(x.Outcome+": "+x.Reason, ": "))
	case events.StepRequested:
		return head(x.Summary)
	case events.FilesUpdated:
		return count(len(x.Files), "file")
	case events.ContextBuilt:
		return count(len(x.Views), "view") + " of files"
	}
	return ""
}

func summarizeCall(p events.Payload) string {
	switch x := p.(type) {
	case events.ModelRequested:
		return head(x.StreamID + ", " + x.Model)
	case events.ModelReplied:
		if len(x.Calls) > 0 {
			return count(len(x.Calls), "call")
		}
		return head(x.Text)
	case events.ModelFailed:
		return head(x.Kind + ": " + x.Message)
	case events.ModelDenied:
		return head(x.Reason)
	case events.HintGiven:
		return head(x.Hint)
	case events.HintSkipped:
		return head(x.Reason)
	case events.FlakyNoticed:
		return head("passed, but " + x.Failed + " failed with nothing changed in between")
	case events.PatchSkipped:
		return head(x.Reason)
	case events.ToolRequested:
		return head(x.Tool)
	case events.ToolApproved:
		return head(x.Tool + " by " + x.By)
	case events.ToolDenied:
		return head(x.Tool + ": " + x.Reason)
	case events.ToolSettled:
		return head(x.Tool + " " + x.Outcome)
	case events.ToolParked:
		return head(x.Tool + ": " + x.Reason)
	case events.InterruptResolved:
		return head(x.Tool + ": " + x.Resolution)
	}
	return ""
}

func summarizeAsk(p events.Payload) string {
	switch x := p.(type) {
	case events.AskRaised:
		return head(x.Gate + ": " + x.Title)
	case events.AskAnswered:
		return head(x.Decision)
	case events.AskSettled:
		return head(x.Outcome + " by " + x.By)
	case events.AnswerRefused:
		return head(x.Author + ": " + x.Reason)
	case events.SpawnDenied:
		return head(x.Reason)
	case events.QuestionRequested:
		return head(x.Text)
	case events.QuestionAnswered:
		return head(strings.TrimSuffix("by "+x.By+": "+x.Answer+x.Reason, ": "))
	case events.PlanProposed:
		return head(count(len(x.Tickets), "ticket") + " wait for a person")
	case events.PlanAnswered:
		return head(strings.TrimSuffix(x.Outcome+" by "+x.By+": "+x.Reason, ": "))
	case events.StepDenied:
		return head(x.Reason)
	}
	return ""
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// head returns the first line of a text, cut at MaxSummary bytes between characters.
func head(s string) string {
	cut := len(s) > MaxSummary
	if cut {
		n := MaxSummary - len("…")
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		s, cut = s[:i], true
	}
	if cut {
		return s + "…"
	}
	return s
}

// summarizeIsolation describes events about isolated tickets and about merging their work.
func summarizeIsolation(p events.Payload) string {
	switch x := p.(type) {
	case events.OverlapWarned:
		if x.Waits {
			return head(strings.Join(x.Tickets, " and ") + " both change " + x.Path + ": the second waits for the first")
		}
		return head(strings.Join(x.Tickets, " and ") + " both change " + x.Path + ": their changes meet in the merge")
	case events.WorkspacePrepared:
		if x.Error != "" {
			return head("cannot be made: " + x.Error)
		}
		return head(strings.TrimSuffix(x.Branch+"; "+x.Note, "; "))
	case events.MergeRequested:
		return head(x.Title)
	case events.MergeSettled:
		switch {
		case x.Outcome == events.MergeDone:
			return head(strings.TrimSuffix("merged into "+x.Branch+"; "+x.Detail, "; "))
		case len(x.Files) > 0:
			return head("conflict in " + strings.Join(x.Files, ", "))
		}
		return head(x.Outcome + ": " + x.Detail)
	case events.MergeAnswered:
		if x.Retry {
			return head("try again, by " + x.By)
		}
		return head("given up, by " + x.By)
	}
	return ""
}
