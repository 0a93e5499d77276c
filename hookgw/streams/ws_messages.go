package streams

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
)

// Channels for the gateway's own messages.
const (
	ChannelHello        = "hello"        // the available channels, once
	ChannelSubscribed   = "subscribed"   // the current subscriptions
	ChannelPong         = "pong"         // the answer to ping
	ChannelError        = "error"        // what was wrong with a message
	ChannelDisconnected = "disconnected" // the end of the feed, with the client's position
)

// maxOrdered limits the channels that one message of a client may name.
const maxOrdered = 64

// order is a message of a client: subscribe, unsubscribe or ping.
type order struct {
	action   string
	channels []string
	wrong    *problem.Problem // set if the message is not valid
}

// parseOrder parses a message. The envelope of Manual Slop was never published, so the usual spellings are all
// accepted.
func parseOrder(text bool, raw []byte) order {
	var m struct {
		Action, Type, Op, Channel string
		Channels                  []string
	}
	if !text || events.Nesting(raw) > 8 || json.Unmarshal(raw, &m) != nil {
		return order{wrong: problem.New(0, "the message must be a JSON command",
			`Send text such as {"action": "subscribe", "channels": ["log"]}.`)}
	}
	o := order{action: m.Action, channels: m.Channels}
	for _, other := range []string{m.Type, m.Op} {
		if o.action == "" {
			o.action = other
		}
	}
	if m.Channel != "" {
		o.channels = append(o.channels, m.Channel)
	}
	switch {
	case !slices.Contains([]string{"subscribe", "unsubscribe", "ping"}, o.action):
		o.wrong = problem.New(0, "no such action", "Use subscribe, unsubscribe or ping.")
	case len(o.channels) > maxOrdered:
		o.wrong = problem.New(0, "too many channels in one message", "Name each channel once; the hello message "+
			"lists them.")
	case len(o.channels) == 0 && o.action != "ping":
		o.wrong = problem.New(0, "the message names no channel", `Add "channels": ["log"].`)
	}
	return o
}

// obey carries out a client's message or answers with an error.
func (s *socket) obey(ctx context.Context, o order) error {
	if o.wrong != nil {
		return s.say(ctx, ChannelError, o.wrong)
	}
	if o.action == "ping" {
		return s.say(ctx, ChannelPong, struct{}{})
	}
	if p := s.choose(o.channels, o.action == "subscribe"); p != nil {
		return s.say(ctx, ChannelError, p)
	}
	return s.say(ctx, ChannelSubscribed, Subscribed{s.subscribed()})
}

// choose changes the subscriptions; if any channel is unknown, it changes none.
func (s *socket) choose(channels []string, on bool) *problem.Problem {
	for _, name := range channels {
		if !slices.ContainsFunc(SocketChannels(), func(c socketChannel) bool { return c.Name == name }) {
			return problem.New(0, "no such channel: "+request.Clip(name, 64), "The hello message lists the channels.")
		}
	}
	for _, name := range channels {
		switch {
		case !on:
			delete(s.wants, name)
			delete(s.sent, name)
		case !s.wants[name]:
			s.wants[name] = true
			if name == channelEvents {
				s.looked = max(s.looked, s.at)
			}
		}
	}
	return nil
}

func (s *socket) subscribed() []string {
	names := []string{}
	for _, c := range SocketChannels() {
		if s.wants[c.Name] {
			names = append(names, c.Name)
		}
	}
	return names
}

// Payloads of the gateway's own messages.
type (
	Hello struct {
		Session  string          `json:"session"`
		Position uint64          `json:"position"` // facts after it are shown
		Channels []socketChannel `json:"channels"`
		Actions  []string        `json:"actions"`
	}
	Changed struct {
		Seq uint64 `json:"seq"`
	}
	Subscribed struct {
		Channels []string `json:"channels"`
	}
	Disconnected struct {
		Position uint64 `json:"position"`
		Reason   string `json:"reason"`
		Hint     string `json:"hint"`
	}
)

func (s *socket) greet(ctx context.Context) error {
	return s.say(ctx, ChannelHello, Hello{s.hub.Session, s.at, SocketChannels(), []string{"subscribe", "unsubscribe",
		"ping"}})
}

// say sends one of the gateway's own messages.
func (s *socket) say(ctx context.Context, channel string, payload any) error {
	body, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	return s.send(ctx, channel, 0, body)
}

// send sends one message; seq is its position, if it has one. If the client takes longer than the write timeout, it
// is told its position and the feed ends. If it also exceeds the grace period, it is disconnected.
func (s *socket) send(ctx context.Context, channel string, seq uint64, payload []byte) error {
	message := make([]byte, 0, len(payload)+len(channel)+64)
	message = append(append(message, `{"channel":"`...), channel...)
	if seq != 0 {
		message = strconv.AppendUint(append(message, `","seq":`...), seq, 10)
		message = append(message, `,"payload":`...)
	} else {
		message = append(message, `","payload":`...)
	}
	message = append(append(message, payload...), '}')
	limits, began := s.c.Gw.Cfg.Limits, time.Now()
	limited, cancel := context.WithTimeout(ctx, limits.WriteTimeout+limits.FeedGrace)
	defer cancel()
	err := s.conn.Write(limited, websocket.MessageText, message)
	s.slow = s.slow || time.Since(began) > limits.WriteTimeout
	return err
}
