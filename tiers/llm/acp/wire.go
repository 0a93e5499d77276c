package acp

import (
	"bytes"
	"encoding/json"

	"manualslop/tiers/llm/program"
)

// version is the protocol version.
const version = 1

// IDs of our requests, in the order in which they are sent.
const (
	initialized = iota + 1
	opened
	chosen
	prompted
)

// Codes of JSON-RPC errors.
const (
	codeNoMethod = -32601
	codeAuth     = -32000 // defined by the protocol: authentication is required
)

// message covers every kind of line: a request or a notification has a method, an answer has none.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// asks reports whether the line is a request, which needs an answer.
func (m *message) asks() bool {
	return m.Method != "" && len(m.ID) > 0 && !bytes.Equal(m.ID, []byte("null"))
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// call sends a request.
func call(t *program.Transcript, id int, method string, params any) {
	t.Send(struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", id, method, params})
}

// answer sends the answer to a request of the agent.
func answer(t *program.Transcript, id json.RawMessage, result any) {
	t.Send(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{"2.0", id, result})
}

// refuse answers a request of the agent with an error.
func refuse(t *program.Transcript, m *message) {
	t.Send(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{"2.0", m.ID, rpcError{Code: codeNoMethod, Message: "there is no " + m.Method + " here"}})
}
