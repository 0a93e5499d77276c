package access

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"manualslop/hookgw/problem"
)

// Guard decides which requests are admitted. It treats every route and method the same way.
type Guard struct {
	hosts   []string // exact values of Host
	origins []string // exact values of Origin
	keys    *Keyring // nil: every caller is the user

	// SignIns are the browsers that are signed in; nil: cookies give no right.
	SignIns *SignIns
}

// NewGuard accepts the three names of loopback with the bound port.
func NewGuard(port int, keys *Keyring) *Guard {
	g := &Guard{keys: keys}
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		host := fmt.Sprintf("%s:%d", name, port)
		g.hosts = append(g.hosts, host)
		g.origins = append(g.origins, "http://"+host)
	}
	return g
}

// Place refuses requests that name another host (DNS rebinding) or come from a foreign page, except windows that open
// [Entrance]. Requests without these headers pass: no page can omit them.
func (g *Guard) Place(r *http.Request) *problem.Problem {
	if !slices.Contains(g.hosts, r.Host) {
		return problem.New(http.StatusMisdirectedRequest, "this Host is not served",
			"Use the address that slop serve printed, including its port.")
	}
	for _, origin := range r.Header["Origin"] {
		if !slices.Contains(g.origins, origin) {
			return problem.New(http.StatusForbidden, "requests from this Origin are refused",
				"Pages of other origins must not use the gateway.")
		}
	}
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" && !enters(r) {
			return problem.New(http.StatusForbidden, "cross-site requests are refused",
				"Only the gateway's own pages may use it from a browser.")
		}
	}
	return nil
}

// Entrance is the only path that a foreign page, such as one in a file, may open in a browser window. Its page needs
// the code of a link.
const Entrance = "/console/enter"

func enters(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Path == Entrance && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// Identify returns the right that the request's token grants, or else its cookie. Without tokens every request has
// the user's right.
func (g *Guard) Identify(r *http.Request) Right {
	if g.keys == nil {
		return RightHuman
	}
	values, keys := r.Header["Authorization"], r.Header[apiKeyHeader]
	if credentials(r) == 0 && g.SignIns != nil {
		return g.SignIns.right(r)
	}
	if credentials(r) != 1 { // ambiguous: no telling which one counts
		return RightNone
	}
	if len(keys) == 1 {
		return g.keys.find(strings.TrimSpace(keys[0]))
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return RightNone
	}
	return g.keys.find(strings.TrimSpace(token))
}

// apiKeyHeader may carry the token instead of Authorization, as in the headless service of Manual Slop.
const apiKeyHeader = "X-Api-Key"

// credentials counts the tokens of a request, malformed ones included.
func credentials(r *http.Request) int {
	return len(r.Header["Authorization"]) + len(r.Header[apiKeyHeader])
}

// Admit refuses a request whose token does not give the right that a route needs.
func Admit(w http.ResponseWriter, r *http.Request, who, need Right) *problem.Problem {
	switch {
	case who.Covers(need):
		return nil
	case who == RightNone:
		w.Header().Set("WWW-Authenticate", "Bearer")
		if credentials(r) > 1 {
			return problem.New(http.StatusUnauthorized, "more than one token was sent",
				"Send one Authorization: Bearer or one X-API-KEY header, not both.")
		}
		return problem.New(http.StatusUnauthorized, "a token is required", "Send Authorization: Bearer with the "+
			"token in "+
			TokenFile(need)+", in the folder that slop serve names.")
	}
	return problem.New(http.StatusForbidden, "this token does not allow the request", "Use the token in "+
		""+TokenFile(need)+".")
}

// JSONOnly refuses bodies of any other type: pages can send those cross-origin without a preflight.
func JSONOnly(r *http.Request) *problem.Problem {
	if (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.ContentLength == 0 {
		return nil
	}
	types := r.Header["Content-Type"]
	if len(types) == 1 && len(r.Header["Content-Encoding"]) == 0 {
		media, params, err := mime.ParseMediaType(types[0])
		charset, named := params["charset"]
		if err == nil && media == "application/json" && (!named || strings.EqualFold(charset, "utf-8")) {
			return nil
		}
	}
	return problem.New(http.StatusUnsupportedMediaType, "the body must be JSON",
		"Send Content-Type: application/json, in UTF-8 and not compressed.")
}
