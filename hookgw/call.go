package hookgw

import "manualslop/hookgw/request"

// call is a request at the gateway, for handlers that need more of it than what
// all requests share.
type call struct {
	*request.Call
	gw *Gateway
}

// in makes a handler of this gateway one of a route.
func (g *Gateway) in(handle func(*call) error) func(*request.Call) error {
	return func(c *request.Call) error { return handle(&call{c, g}) }
}
