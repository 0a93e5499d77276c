package hookgw

import (
	"net/http"
	"sync"

	"manualslop/hookgw/access"
	"manualslop/hookgw/openapi"
	"manualslop/hookgw/request"
)

// contractRoutes hand out the description of all routes. It holds no state, so
// nobody needs a token for it.
func contractRoutes() []request.Route {
	const get, group = http.MethodGet, "Contract"
	document := sync.OnceValue(func() openapi.Object { return OpenAPI(Routes(), request.Limits{}) })
	return []request.Route{
		{Method: get, Pattern: "/openapi.yaml", Right: access.RightNone, Group: group, Gives: map[string]any{},
			Media: request.MediaYAML, Always: true, Doc: "This gateway as an OpenAPI 3.0 document.",
			Handle: func(c *request.Call) error { return c.ReplyMedia(request.MediaYAML, []byte(document().YAML())) }},
		{Method: get, Pattern: "/openapi.json", Right: access.RightNone, Group: group, Gives: map[string]any{}, Always: true,
			Doc:    "The same as JSON.",
			Handle: func(c *request.Call) error { return c.Reply(http.StatusOK, document()) }},
	}
}
