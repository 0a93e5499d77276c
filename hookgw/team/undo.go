package team

import (
	"context"
	"encoding/json"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// undoBody is the body of POST /api/undo: exactly one of call, ticket and to_seq, or only a path.
type undoBody struct {
	Call   string `json:"call,omitempty"`
	Ticket string `json:"ticket,omitempty"`
	ToSeq  uint64 `json:"to_seq,omitempty"`
	Path   string `json:"path,omitempty"`
	// Seen is the digest of the content that the client shows at the path, empty if it shows none; the undo is refused
	// if the file has been written since.
	Seen *string `json:"seen,omitempty"`
}

// postUndo restores the earlier content of files, and answers when that is done.
func postUndo(c *core.Call) error {
	session, err := c.SomeSession() // also a closed one
	if err != nil {
		return err
	}
	var want undoBody
	if json.Unmarshal(c.Body, &want) != nil {
		return problem.New(http.StatusBadRequest, "a member of the body has the wrong type",
			`Send {"call": "ID"}, {"ticket": "T-001"} or {"to_seq": 120}.`)
	}
	p := events.UndoRequested{Call: want.Call, Ticket: want.Ticket, ToSeq: want.ToSeq, Path: want.Path}
	if p.Check() != nil || len(p.Call) > events.MaxIDLength || len(p.Ticket) > events.MaxIDLength {
		return problem.New(http.StatusBadRequest, "an undo must name exactly one target",
			"Send a call, a ticket or to_seq, or only the path of a file; ids have at most 128 bytes.")
	}
	if want.Seen != nil {
		if want.Path == "" {
			return problem.New(http.StatusBadRequest, "seen needs a path", "Add the path of the file that you saw.")
		}
		if err := stillSeen(c, session, want); err != nil {
			return err
		}
	}
	e, err := c.PublishAsPerson(session, p)
	if err != nil {
		return err
	}
	return undone(c, e)
}

// stillSeen returns an error if a file was written after the client showed it.
func stillSeen(c *core.Call, session string, want undoBody) error {
	still := false
	err := c.Read(session, func(s *projections.Set) {
		changes := s.AllChanges() // also files that have their original content again: they may differ from to_seq
		if want.Ticket != "" {
			changes = changes.Of(want.Ticket)
		}
		for _, f := range changes.Files {
			still = still || f.Path == want.Path && f.After == *want.Seen
		}
	})
	if err != nil || still {
		return err
	}
	return problem.New(http.StatusConflict, want.Path+" has changed since you saw it",
		"Nothing was changed. Check the diff in GET /api/changes, and send the request again.")
}

// undone waits for the outcome of the undo e.
func undone(c *core.Call, e events.Event) error {
	ctx, cancel := context.WithTimeout(c.Request.Context(), c.Gw.Cfg.Limits.SettleWait)
	defer cancel()
	for got, err := range c.Gw.Cfg.Models.Subscribe(ctx, e.Session, e.Seq+1) {
		if err != nil {
			break
		}
		switch p := got.Payload.(type) {
		case events.UndoRefused:
			if p.Request == e.ID {
				return problem.New(http.StatusConflict, p.Reason, "Nothing was changed.")
			}
		case events.ToolSettled:
			if p.Call != events.UndoCall(e.ID) || p.Outcome == events.ToolInterrupted {
				continue
			}
			if p.Outcome != events.ToolDone {
				return problem.New(http.StatusConflict, p.Text, "Nothing was changed.")
			}
			if err := c.Gw.CaughtUp(c.Request.Context(), got.Seq); err != nil {
				return err
			}
			return c.Reply(http.StatusOK, wire.UndoAnswer{Status: "restored", Call: p.Call, Files: p.Files, Branch: p.Branch})
		}
	}
	return c.Reply(http.StatusAccepted, request.HintedAnswer{Status: "accepted", Hint: "The request is recorded; " +
		"no worker has carried it out yet. GET /api/events shows the outcome."})
}
