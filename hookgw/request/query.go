package request

import (
	"net/http"
	"net/url"
	"slices"

	"manualslop/hookgw/problem"
)

// parseQuery parses the query. It rejects a query that is only partly valid, because the valid pairs would be
// mistaken for the whole query, and a repeated parameter unless the route allows it. Parameters that the route does
// not know are ignored.
func (c *Call) parseQuery(route *Route) *problem.Problem {
	if c.Request.URL.RawQuery == "" {
		return nil
	}
	asked, err := url.ParseQuery(c.Request.URL.RawQuery)
	c.asked = asked
	if err != nil {
		return problem.New(http.StatusBadRequest, "the query does not parse",
			"Write name=value with & between them; a ; in a value is %3B and a % is %25.")
	}
	for name, values := range asked {
		if len(values) > 1 && route.meansOne(name) {
			return problem.New(http.StatusBadRequest, "a query parameter is repeated", "Send "+name+" once.")
		}
	}
	return nil
}

// meansOne reports whether a parameter may occur only once in the query of a route. That holds for the reader's name
// on every route, because it is recorded.
func (r *Route) meansOne(name string) bool {
	return name == "client" || slices.ContainsFunc(r.Query, func(p Parameter) bool { return p.Name == name && !p.Many })
}

// Query returns the query that parseQuery parsed. For a request that was already rejected, it returns the part that
// can be parsed.
func (c *Call) Query() url.Values {
	if c.asked == nil && c.Request.URL.RawQuery != "" {
		c.asked = c.Request.URL.Query()
	}
	return c.asked
}
