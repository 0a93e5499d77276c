package hookgw_test

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"manualslop/hookgw"
	"manualslop/hookgw/request"
)

// checkedAnswers bounds how many answers of one operation and status a fixture
// compares with the OpenAPI document, so that tests of load stay what they are.
const checkedAnswers = 8

// checks counts the answers that a fixture has compared.
type checks struct {
	mu   sync.Mutex
	done map[string]int
}

// due tells whether one more answer of this kind is to be compared.
func (c *checks) due(kind string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = map[string]int{}
	}
	c.done[kind]++
	return c.done[kind] <= checkedAnswers
}

// keepsContract compares an answer with what the OpenAPI document says of it.
// Requests that are no operation of it are answered with the error object.
func (f *fixture) keepsContract(req *http.Request, a answer) error {
	route := routeOf(req)
	kind := fmt.Sprintf("%s %s %d", req.Method, route.Pattern, a.status)
	// the server's own answer, before the gateway
	if req.Method == http.MethodHead || a.status == http.StatusRequestHeaderFieldsTooLarge ||
		!f.checks.due(kind) {
		return nil
	}
	if err := describes(route, a); err != nil {
		return fmt.Errorf("%s breaks the contract: %w: %.300s", kind, err, a.body)
	}
	return nil
}

// routeOf is the row that serves a request; the zero one where none does.
func routeOf(req *http.Request) request.Route {
	segments := strings.Split(req.URL.EscapedPath(), "/")
	for _, r := range hookgw.Routes() {
		if r.Method == req.Method && fits(strings.Split(r.Pattern, "/"), segments) {
			return r
		}
	}
	return request.Route{}
}

func fits(pattern, segments []string) bool {
	if len(pattern) != len(segments) {
		return false
	}
	for i, p := range pattern {
		value, err := url.PathUnescape(segments[i])
		if variable := strings.HasPrefix(p, "{"); p != segments[i] && (!variable || err != nil || value == "") {
			return false
		}
	}
	return true
}

// describes compares an answer with the description of its route.
func describes(r request.Route, a answer) error {
	for name := range a.header {
		if strings.HasPrefix(name, "Access-Control-") {
			return fmt.Errorf("it grants something to other origins: %s", name)
		}
	}
	if a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Cache-Control") != "no-store" {
		return fmt.Errorf("it may be sniffed or stored")
	}
	doc, err := contract()
	if err != nil {
		return err
	}
	media, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil && a.status != http.StatusSwitchingProtocols && a.status != http.StatusNotModified {
		return fmt.Errorf("Content-Type %q: %w", a.header.Get("Content-Type"), err)
	}
	response := doc.Components.Responses["Problem"]
	if o := operationOf(doc, r); o != nil {
		if response = o.Responses.Status(a.status); response == nil {
			response = o.Responses.Value(fmt.Sprintf("%dXX", a.status/100))
		}
		if response == nil {
			return fmt.Errorf("the status %d is not described", a.status)
		}
	} else if a.status < 400 {
		return fmt.Errorf("status %d of no operation", a.status)
	}
	body := response.Value.Content.Get(media)
	if body == nil && len(response.Value.Content) > 0 {
		return fmt.Errorf("the type %s is not described", media)
	}
	if media != "application/json" {
		return nil
	}
	var value any
	if err := json.Unmarshal(a.body, &value); err != nil {
		return err
	}
	return body.Schema.Value.VisitJSON(value)
}
