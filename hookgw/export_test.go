package hookgw

import (
	"manualslop/hookgw/asks"
	"manualslop/hookgw/headless"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/streams"
	"manualslop/hookgw/wire"
)

// SocketChannels are the channels of /ws that a client may subscribe to.
func SocketChannels() []struct{ Name, Doc string } {
	var out []struct{ Name, Doc string }
	for _, c := range streams.SocketChannels() {
		out = append(out, struct{ Name, Doc string }{c.Name, c.Doc})
	}
	return out
}

// FeedPayloads are values of the types that live feeds carry, by the name of
// their frame or channel.
func FeedPayloads() map[string]any {
	return map[string]any{
		streams.ChannelHello: streams.Hello{}, streams.ChannelSubscribed: streams.Subscribed{},
		streams.ChannelPong: struct{}{}, streams.ChannelError: problem.Problem{},
		streams.ChannelDisconnected: streams.Disconnected{},
		"text":                      headless.ToldText{}, "call": headless.ToldCall{}, "ask": headless.ToldAsk{},
		"answer": headless.ToldAnswer{}, "state": headless.ToldState{}, "end": wire.Generated{},
		"asks": []asks.AskLine{}, "changed": streams.Changed{},
		"performance": wire.Performance{}, "telemetry": wire.Telemetry{},
	}
}
