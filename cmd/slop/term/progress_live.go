package term

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"manualslop/bus"
	"manualslop/events"
)

// Limits of the live text of the status line.
const (
	// liveBytes limits the kept end of the text that a model is writing.
	liveBytes = 1 << 10
	// liveColumns is the minimum width at which live text is shown.
	liveColumns = 16
	// liveEvery is the minimum time between two status lines because of live text.
	liveEvery = 100 * time.Millisecond
)

// Piece is a piece of text that a model has just written, or the last lines of a running call. It may be lost: only
// the record counts.
type Piece struct {
	Request string `json:"request"`
	Delta   string `json:"delta"`
	events.OutputSignal
}

// Pieces passes on the text that models and calls of a session write until ctx ends. Pieces that are not taken in
// time are dropped.
func Pieces(ctx context.Context, conn *bus.Conn, project, session string) <-chan Piece {
	out := make(chan Piece, 64)
	go func() {
		_ = conn.Signals(ctx, bus.Signal{Project: project, Session: session}, func(s bus.Signal) {
			var p Piece
			delta := s.Actor == events.ActorModels && s.Name == "delta"
			if !delta && s.Name != events.SignalOutput || json.Unmarshal(s.Body, &p) != nil {
				return
			}
			select {
			case out <- p:
			default:
			}
		})
	}()
	return out
}

// Hear applies a piece of text that a model or a call wrote.
func (p *Progress) Hear(said Piece) {
	i := slices.IndexFunc(p.waits, func(w waiting) bool { return w.id == FirstOf(said.Call, said.Request) })
	if i < 0 {
		return
	}
	w := &p.waits[i]
	w.wrote += said.Delta
	if said.Call != "" {
		w.wrote = strings.Join(said.Lines, " ⏎ ")
	}
	if over := len(w.wrote) - liveBytes; over > 0 {
		w.wrote = w.wrote[over:]
	}
	if i == 0 && time.Since(p.drawn) >= liveEvery {
		p.Refresh()
	}
}

// live returns the end of the text that the oldest running model or call has written, in the given number of columns.
// It returns "" if there is none or no room for it.
func (p *Progress) live(room int) string {
	if p.paused || len(p.waits) == 0 || room < liveColumns {
		return ""
	}
	text := strings.Join(strings.Fields(strings.ToValidUTF8(p.waits[0].wrote, "")), " ")
	return ending(Visible(text), room)
}

// ending returns as much of the end of a text as fits into the given number of columns.
func ending(text string, room int) string {
	if Columns(text) <= room {
		return text
	}
	room-- // for the mark at the beginning
	over := Columns(text) - room
	for cluster, n := range clusters(text) {
		if over <= 0 {
			break
		}
		over -= n
		text = text[len(cluster):]
	}
	return "…" + text
}
