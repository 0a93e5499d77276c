package hookgw

import (
	"fmt"

	"manualslop/hookgw/access"
	"manualslop/hookgw/openapi"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
)

// OpenAPI describes routes as an OpenAPI 3.0 document; limits that are zero are
// the default ones.
func OpenAPI(routes []request.Route, limits request.Limits) openapi.Object {
	limits = limits.WithDefaults()
	shown := map[string]sample{}
	for _, s := range samplesOfRoutes() {
		shown[s.route] = s
	}
	operations := make([]openapi.Operation, len(routes))
	for i, r := range routes {
		o := openapi.Operation{Method: r.Method, Path: r.Pattern, Group: r.Group, Doc: r.Doc, Takes: r.Takes, Gives: r.Gives,
			Media: r.Media}
		o.TakesExample, o.GivesExample = shown[r.Method+" "+r.Pattern].takes, shown[r.Method+" "+r.Pattern].gives
		if r.Right != access.RightNone {
			o.Token = access.TokenFile(r.Right)
		}
		for _, p := range r.Query {
			o.Query = append(o.Query, openapi.Parameter(p))
		}
		for _, a := range r.Also {
			o.Also = append(o.Also, openapi.Answer(a))
		}
		if r.Body != nil {
			o.Body = r.Body(limits)
		}
		operations[i] = o
	}
	return openapi.Document(openapi.Info{
		Title: "Manual Slop Hook API", Version: "1.0.0", Server: "http://127.0.0.1:8999", Problem: problem.Problem{},
		Description: described(limits),
	}, operations)
}

func described(l request.Limits) string {
	return fmt.Sprintf(`The HTTP interface of the gateway, on loopback only. `+"`slop serve`"+` prints the address and the folder of the tokens.
Send one as `+"`Authorization: Bearer`"+` or as `+"`X-API-KEY`"+`, not both; never in the URL.

* Bodies are one JSON object with `+"`Content-Type: application/json`"+`, in UTF-8, not compressed.
* Host must be 127.0.0.1, localhost or [::1] with the port, else 421. Origin and Sec-Fetch-Site must be the gateway's own or absent, else 403. There are no CORS headers.
* A query that does not parse, such as one with a raw ; in it, is 400, and so is a repeated parameter unless the route accepts several. Unknown parameters are ignored.
* Every error is one JSON object with error and hint. Once a write is answered, every later read sees it.
* Limits: a head of %d bytes, %d levels in a body, %d connections, %d waiting asks, %d feeds for each client and %d in all, %d entries in one batch of events.
  A head over its limit is 431, the only error in plain text.
  The head must arrive within %s, a body within %s; an idle connection is closed after %s.
`, l.HeaderBytes, l.Depth, l.Conns, l.Waiting, l.FeedsPerClient, l.Feeds, l.Batch, l.HeaderTimeout, l.BodyTimeout, l.IdleTimeout)
}
