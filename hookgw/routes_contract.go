package hookgw

import (
	"net/http"
	"sync"

	"manualslop/hookgw/access"
	"manualslop/hookgw/openapi"
	"manualslop/hookgw/request"
)

// contractRoutes returns the routes that serve the description of all routes. The description contains no state, so
// it needs no token.
func contractRoutes() []request.Route {
	const get, group = http.MethodGet, "Contract"
	document := sync.OnceValue(func() openapi.Object { return OpenAPI(Routes(), request.Limits{}) })
	return []request.Route{
		{Method: get, Pattern: "/openapi.yaml", Right: access.RightNone, Group: group, Gives: map[string]any{},
			Media: request.MediaYAML, Always: true, Doc: "Describes this gateway as an OpenAPI 3.0 document.",
			Handle: func(c *request.Call) error { return c.ReplyMedia(request.MediaYAML, []byte(document().YAML())) }},
		{Method: get, Pattern: "/openapi.json", Right: access.RightNone, Group: group, Gives: map[string]any{}, Always: true,
			Doc:    "Returns the same as JSON.",
			Handle: func(c *request.Call) error { return c.Reply(http.StatusOK, document()) }},
	}
}
