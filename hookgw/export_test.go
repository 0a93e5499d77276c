package hookgw

import (
	"manualslop/hookgw/problem"
	"manualslop/hookgw/program"
)

// SocketChannels are the channels of /ws that a client may subscribe to.
func SocketChannels() []struct{ Name, Doc string } {
	var out []struct{ Name, Doc string }
	for _, c := range socketChannels() {
		out = append(out, struct{ Name, Doc string }{c.Name, c.Doc})
	}
	return out
}

// FeedPayloads are values of the types that live feeds carry, by the name of
// their frame or channel.
func FeedPayloads() map[string]any {
	return map[string]any{
		channelHello: hello{}, channelSubscribed: subscribed{}, channelPong: struct{}{}, channelError: problem.Problem{}, channelDisconnected: disconnected{},
		"text": toldText{}, "call": toldCall{}, "ask": toldAsk{}, "answer": toldAnswer{}, "state": toldState{}, "end": Generated{},
		"asks": []askLine{}, "performance": program.Performance{}, "telemetry": program.Telemetry{},
	}
}
