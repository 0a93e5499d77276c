package streams

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"manualslop/hookgw/asks"
	"manualslop/hookgw/core"
	"manualslop/hookgw/feed"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/status"
	"manualslop/projections"
	"manualslop/projections/live"
)

// Channels of individual messages. The others carry states, of which only the newest matters.
const (
	channelLog     = "log"
	channelEvents  = "events"
	channelStreams = "streams"
)

// socketChannel is a channel that a client may subscribe to.
type socketChannel struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// SocketChannels returns every channel of /ws.
func SocketChannels() []socketChannel {
	return []socketChannel{
		{channelEvents, "Each entry of the queue of GET /api/events, drained or not; nothing is removed."},
		{channelLog, "Each event of the session, with its seq; ?filter= selects."},
		{channelStreams, "Text of models as they write it; it is never stored and may be lost."},
		{"mma_status", "State of GET /api/gui/mma_status, when it changes."},
		{"diagnostics", "State of GET /api/gui/diagnostics, when it changes."},
		{"session", "The discussion, when it changes."},
		{"asks", "The open asks, when they change."},
		{"changed", "The newest position of the project's log, when any session changes, so that clients " +
			"can read again what they show. Sent at once for this session, within a second for others."},
		{"performance", "Figures of GET /api/performance, once a second."},
		{"telemetry", "Figures of GET /api/system/telemetry, once a second."},
	}
}

// stateOf is the state that a channel shows. A sampled state is read once a second, the others when the session
// changes.
type stateOf struct {
	sampled bool
	always  bool // both
	render  func(context.Context) ([]byte, error)
}

// stateChannels returns the channels that show a state, by name.
func stateChannels(c *core.Call, session string) map[string]stateOf {
	read := func(of func() live.Rendering) stateOf {
		return stateOf{render: func(ctx context.Context) ([]byte, error) {
			view, ok := c.Gw.Cfg.Models.Session(session)
			if !ok {
				return []byte("null"), nil
			}
			return view.Rendered(ctx, of())
		}}
	}
	modelOf := func(name string) stateOf {
		return read(func() live.Rendering {
			return request.View("channel "+name, func(s *projections.Set) (any, error) { return s.View(name) }, name)
		})
	}
	open := request.View("channel asks", func(s *projections.Set) (any, error) {
		return asks.Inbox(s, asks.StatePending),
			nil
	}, "asks")
	return map[string]stateOf{
		"mma_status":  read(func() live.Rendering { return status.MmaStatusView(c.Gw) }),
		"diagnostics": modelOf("diagnostics"),
		"session":     modelOf("session"),
		"asks":        read(func() live.Rendering { return open }),
		"changed": {always: true, render: func(context.Context) ([]byte, error) {
			var newest uint64
			for _, s := range c.Gw.Cfg.Models.Sessions() {
				newest = max(newest, s.LastSeq)
			}
			return json.Marshal(Changed{newest})
		}},
		"performance": {sampled: true, render: func(context.Context) ([]byte, error) {
			return json.Marshal(c.Gw.Cfg.Host.Performance())
		}},
		"telemetry": {sampled: true, render: func(context.Context) ([]byte, error) {
			now, err := c.Gw.Program.TelemetryOf(c.Call, session)
			if err != nil {
				return nil, err
			}
			return json.Marshal(now)
		}},
	}
}

// begin subscribes to the channels in ?channels=.
func (s *socket) begin(ctx context.Context) error {
	names := strings.FieldsFunc(strings.Join(s.c.Query()["channels"], ","), func(r rune) bool { return r == ',' })
	if len(names) == 0 {
		return nil
	}
	if len(names) > maxOrdered {
		return s.say(ctx, ChannelError, problem.New(http.StatusBadRequest, "too many channels",
			"Name each channel once; the hello message lists them."))
	}
	return s.obey(ctx, order{action: "subscribe", channels: names})
}

// show sends frames on the channels that want them, and the queue entries that came with them.
func (s *socket) show(ctx context.Context, frames []*feed.Frame) error {
	for _, f := range frames {
		switch {
		case f.Subject == nil:
			if s.wants[channelStreams] {
				if err := s.send(ctx, channelStreams, 0, f.Body); err != nil {
					return err
				}
			}
			continue
		case f.Seq <= s.at:
			continue
		case s.wants[channelLog] && s.filter.Match(f.Subject):
			if err := s.send(ctx, channelLog, f.Seq, f.Body); err != nil {
				return err
			}
		}
		s.at = f.Seq
	}
	return nil
}

// showStates sends each state that changed, and the new entries of the queue.
func (s *socket) showStates(ctx context.Context, sampled bool) error {
	if s.wants[channelEvents] && !sampled {
		if err := s.showQueue(ctx); err != nil {
			return err
		}
	}
	for _, c := range SocketChannels() {
		state, ok := s.states[c.Name]
		if !ok || !s.wants[c.Name] || !state.always && state.sampled != sampled && s.sent[c.Name] != nil {
			continue
		}
		body, err := state.render(ctx)
		if err != nil {
			return s.disconnect(ctx, "the feed failed", err)
		}
		if body = bytes.TrimSuffix(body, []byte("\n")); bytes.Equal(body, s.sent[c.Name]) {
			continue
		}
		s.sent[c.Name] = body
		if err := s.send(ctx, c.Name, 0, body); err != nil {
			return err
		}
	}
	return nil
}

// showQueue sends the entries of the queue after the last one that was sent.
func (s *socket) showQueue(ctx context.Context) error {
	for more := true; more; {
		since := s.looked
		out, err := look(s.c, s.hub.Session, func(set *projections.Set) (uint64, []projections.QueueEntry) {
			return since,
				set.QueueSince(since)
		})
		if err != nil {
			return s.disconnect(ctx, "the feed failed", err)
		}
		for _, entry := range out.Events {
			if err := s.send(ctx, channelEvents, 0, entry); err != nil {
				return err
			}
		}
		s.looked, more = out.Through, out.More
	}
	return nil
}
