package hookgw

import (
	"net/http"
	"sync"

	"manualslop/hookgw/access"
	"manualslop/hookgw/openapi"
)

// contractRoutes hand out the description of all routes. It holds no state, so
// nobody needs a token for it.
func contractRoutes() []Route {
	const get, group = http.MethodGet, "Contract"
	document := sync.OnceValue(func() openapi.Object { return OpenAPI(Routes(), Limits{}) })
	return []Route{
		{Method: get, Pattern: "/openapi.yaml", Right: access.RightNone, Group: group, Gives: map[string]any{}, Media: mediaYAML, always: true, Doc: "This gateway as an OpenAPI 3.0 document.",
			handle: func(c *call) error { return c.replyMedia(mediaYAML, []byte(document().YAML())) }},
		{Method: get, Pattern: "/openapi.json", Right: access.RightNone, Group: group, Gives: map[string]any{}, always: true, Doc: "The same as JSON.",
			handle: func(c *call) error { return c.reply(http.StatusOK, document()) }},
	}
}
