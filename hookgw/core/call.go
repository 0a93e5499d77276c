package core

import (
	"errors"

	"manualslop/hookgw/request"
)

// Call is a request to the gateway, for handlers that need more of the gateway than package request offers.
type Call struct {
	*request.Call
	Gw *State
}

// In converts a handler of the gateway to a handler of a route.
func (g *State) In(handle func(*Call) error) func(*request.Call) error {
	return func(c *request.Call) error { return handle(&Call{c, g}) }
}

// ErrStopping means that the gateway is stopping.
var ErrStopping = errors.New("the gateway is stopping")
