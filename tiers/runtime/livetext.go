package runtime

import (
	"context"
	"encoding/json"

	"manualslop/events"
)

// liveText is what a model writes during one try at a request, on its way to
// whoever watches. It is no answer: only a ModelReplied is.
type liveText struct {
	m       *Models
	request *events.Event
	stream  string
	pieces  int
	words   wholeWords
}

// say publishes what the next piece makes whole.
func (l *liveText) say(ctx context.Context, piece string) { l.publish(ctx, l.words.take(piece)) }

// end publishes what was held back.
func (l *liveText) end(ctx context.Context) { l.publish(ctx, l.words.end()) }

// publish shows a text; a lost one does not matter.
func (l *liveText) publish(ctx context.Context, text string) {
	if l.m.Signals == nil || text == "" {
		return
	}
	body, err := json.Marshal(struct {
		StreamID string `json:"stream_id"`
		Request  string `json:"request"`
		Piece    int    `json:"piece"`
		Delta    string `json:"delta"`
	}{l.stream, l.request.ID, l.pieces, text})
	if err != nil {
		return
	}
	l.pieces++
	if err := l.m.Signals.Signal(ctx, l.request.Project, l.request.Session, events.ActorModels, "delta",
		l.m.hide(body)); err != nil {
		l.m.Logger.Debug("live text was not sent", "error", err)
	}
}
