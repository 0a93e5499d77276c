package request

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"manualslop/hookgw/access"
	"manualslop/hookgw/problem"
)

// Route is one row of the gateway's table.
type Route struct {
	// Method must match exactly: HEAD and OPTIONS are not supported.
	Method string
	// Pattern is the path; a segment {name} matches any one segment.
	Pattern string
	// Right is the right that the request's token must grant.
	Right access.Right
	// Doc is one sentence for the catalogue.
	Doc string
	// Group is the heading under which the catalogue lists the route.
	Group string
	// Query lists the route's query parameters.
	Query []Parameter
	// Takes and Gives are values whose types describe the body of the request and
	// of the answer with status 200. Nil: none, or an object of any shape.
	Takes, Gives any
	// Media is the type of the answer with status 200; empty: application/json.
	Media string
	// Also are the route's answers with other statuses.
	Also []Answer

	// Body is the largest body in bytes. Nil: the route takes none.
	Body func(Limits) int64
	// Signal means that the body is passed on, and only recorded if it is refused.
	Signal bool
	// Always means that it also answers while the bus is unavailable.
	Always bool
	// Handle answers a request that passed every check of the row. An error is sent as a problem.
	Handle func(*Call) error

	served *statusCounts // set in the table of a gateway
}

// SmallBody is the body limit of most routes, in bytes.
func SmallBody(l Limits) int64 { return l.Body }

// SessionBody is the body limit for a discussion's entries, in bytes.
func SessionBody(l Limits) int64 { return l.SessionBody }

// Answer is an answer with another status.
type Answer struct {
	// Status is the code, Doc says when it is sent.
	Status int
	Doc    string
	// Gives is a value of the body's type; nil: the error object.
	Gives any
}

// Parameter is a query parameter of a route.
type Parameter struct {
	// Name is the parameter's name.
	Name string
	// Type is its JSON type: string, integer, number or boolean.
	Type string
	// Doc is one sentence for the catalogue.
	Doc string
	// Many means that it may be repeated.
	Many bool
}

// SessionParameter selects a session other than the current one.
func SessionParameter() Parameter {
	return Parameter{Name: "session", Type: "string", Doc: "Use this session instead of the current one."}
}

// table finds routes.
type table struct {
	all   []Route
	fixed map[string]map[string]*Route // those without variables, by path and method
}

func newTable(all []Route) table {
	t := table{all, map[string]map[string]*Route{}}
	for i := range all {
		r := &all[i]
		if strings.Contains(r.Pattern, "{") {
			continue
		}
		if t.fixed[r.Pattern] == nil {
			t.fixed[r.Pattern] = map[string]*Route{}
		}
		t.fixed[r.Pattern][r.Method] = r
	}
	return t
}

// find returns the route of a request and the values of its path's variables. A path is compared segment by segment
// and never cleaned, decoded or redirected, so that a route has one spelling.
func (t table) find(method, escaped string) (*Route, map[string]string, *problem.Problem) {
	if r := t.fixed[escaped][method]; r != nil {
		return r, nil, nil
	}
	segments := strings.Split(escaped, "/")
	var allowed []string
	for i := range t.all {
		r := &t.all[i]
		vars, ok := match(r.Pattern, segments)
		if ok && r.Method == method {
			return r, vars, nil
		}
		if ok && !slices.Contains(allowed, r.Method) {
			allowed = append(allowed, r.Method)
		}
	}
	if len(allowed) == 0 {
		return nil, nil, problem.New(http.StatusNotFound, "no such path", "GET /openapi.yaml lists the paths.")
	}
	list := strings.Join(allowed, ", ")
	return nil, nil, &problem.Problem{Status: http.StatusMethodNotAllowed, Message: "this path does not support " +
		"this method",
		Hint: "Use " + list + ".", Allow: list}
}

func match(pattern string, segments []string) (map[string]string, bool) {
	want := strings.Split(pattern, "/")
	if len(want) != len(segments) {
		return nil, false
	}
	var vars map[string]string
	for i, w := range want {
		name, variable := strings.CutPrefix(w, "{")
		if !variable {
			if w != segments[i] {
				return nil, false
			}
			continue
		}
		value, err := url.PathUnescape(segments[i])
		if err != nil || value == "" {
			return nil, false
		}
		if vars == nil {
			vars = map[string]string{}
		}
		vars[strings.TrimSuffix(name, "}")] = value
	}
	return vars, true
}
