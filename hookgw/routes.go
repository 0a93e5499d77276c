package hookgw

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Route is one row of the gateway's table.
type Route struct {
	// Method is exact: HEAD and OPTIONS are served nowhere.
	Method string
	// Pattern is the path; a segment {name} matches any one segment.
	Pattern string
	// Right is what the request's token must give.
	Right Right
	// Doc is one sentence for the catalogue.
	Doc string

	body   func(Limits) int64 // largest body; nil: none
	handle func(*call) error
}

func smallBody(l Limits) int64 { return l.Body }

func sessionBody(l Limits) int64 { return l.SessionBody }

// Routes is everything that the gateway serves.
func Routes() []Route {
	const get, post = http.MethodGet, http.MethodPost
	return []Route{
		{get, "/status", RightNone, "Whether the gateway answers.", nil, status},

		{get, "/api/gui/mma_status", RightRead, "State of the tiers, tracks, tickets, streams and gates.", nil, mmaStatus},
		{get, "/api/mma_status", RightRead, "The same, under a path of an older guide.", nil, mmaStatus},
		{get, "/mma_status", RightRead, "The same, under the oldest path.", nil, mmaStatus},
		{get, "/api/gui/diagnostics", RightRead, "Indicators: thinking, live, prior.", nil, model("diagnostics")},
		{get, "/diagnostics", RightRead, "The same, under the oldest path.", nil, model("diagnostics")},

		{get, "/api/session", RightRead, "The discussion entries.", nil, getSession},
		{post, "/api/session", RightHuman, "Replaces the discussion entries.", sessionBody, postSession},
		{get, "/api/roles", RightRead, "Who is at work, and which roles nobody runs.", nil, getRoles},
		{get, "/api/sessions", RightRead, "Every session of the project, and which one is current.", nil, getSessions},

		{get, "/api/events", RightHuman, "Takes what is in the queue of ?client=; with ?since=SEQ it only looks.", nil, getEvents},
		{get, "/api/stream", RightRead, "Server-sent events: the log of ?session=, replayed and then live, by ?filter=.", nil, stream},
		{get, "/api/blobs/{sha256}", RightRead, "The bytes of a body that an event names.", nil, getBlob},

		{get, "/api/asks", RightRead, "Open questions; ?state=all, settled or pending.", nil, getAsks},
		{post, "/api/ask", RightAsk, "Asks the person and waits for the answer.", smallBody, postAsk},
		{post, "/api/ask/respond", RightHuman, "Answers a question, of /api/ask or of a gate.", smallBody, postRespond},

		{post, "/api/goal", RightHuman, "Gives the team a goal.", smallBody, postGoal},
		{post, "/api/control", RightHuman, "Pauses, resumes, kills, retries, blocks, unblocks, or sets step mode.", smallBody, postControl},
	}
}

// table finds routes.
type table []Route

// find is the route of a request and the values of its path's variables. A path
// is compared segment by segment and never cleaned, decoded or redirected, so
// that a route has one spelling.
func (t table) find(method, escaped string) (*Route, map[string]string, *problem) {
	segments := strings.Split(escaped, "/")
	var allowed []string
	for i := range t {
		vars, ok := match(t[i].Pattern, segments)
		if ok && t[i].Method == method {
			return &t[i], vars, nil
		}
		if ok && !slices.Contains(allowed, t[i].Method) {
			allowed = append(allowed, t[i].Method)
		}
	}
	if len(allowed) == 0 {
		return nil, nil, refuse(http.StatusNotFound, "there is no such path", "docs/hooks.md lists the paths.")
	}
	list := strings.Join(allowed, ", ")
	return nil, nil, &problem{status: http.StatusMethodNotAllowed, Message: "this path does not take this method", Hint: "Use " + list + ".", allow: list}
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
