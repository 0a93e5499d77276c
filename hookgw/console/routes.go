// Package console serves the web console: its files and the sign-in of browsers. The page only draws; the data comes
// from the routes of other packages. The TypeScript sources are in the folder source, one folder per view, and a test
// bundles them into dist.
package console

import (
	"embed"
	"encoding/json"
	"net/http"
	"time"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
)

//go:embed dist
var dist embed.FS

// policy allows the page to load only its own files, and makes the browser reject markup that is built from strings.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Bodies of the routes below.
type (
	linkAnswer struct {
		URL     string    `json:"url"` // opens the console, once
		Expires time.Time `json:"expires"`
	}
	codeBody struct {
		Code string `json:"code"`
	}
	signIns struct {
		SignIns []access.SignIn `json:"signins"` // newest first
	}
	idBody struct {
		ID string `json:"id"`
	}
	signedIn struct {
		Right string `json:"right"` // human, read
	}
)

// Routes returns the routes of the web console.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Console"
	file := func(path, name, media, doc string) request.Route {
		return request.Route{Method: get, Pattern: path, Right: access.RightNone, Group: group, Media: media, Always: true,
			Doc: doc, Handle: func(c *request.Call) error { return serveFile(c, name, media+"; charset=utf-8") }}
	}
	return []request.Route{
		file("/", "index.html", "text/html", "The web console: a page for a browser."),
		file(access.Entrance, "index.html", "text/html", "The same page for a window that another page opens; it only signs in."),
		file("/console/app.js", "app.js", "text/javascript", "Its program."),
		file("/console/app.css", "app.css", "text/css", "Its style."),
		{Method: post, Pattern: "/api/console/link", Right: access.RightRead, Group: group, Gives: linkAnswer{}, Signal: true,
			Doc: "Creates a link that signs a browser in with the rights of this token; it works once and expires " +
				"after a minute.",
			Takes: struct{}{}, Body: request.SmallBody, Handle: g.In(postLink)},
		{Method: post, Pattern: "/api/console/login", Right: access.RightNone, Group: group, Takes: codeBody{},
			Gives: signedIn{}, Signal: true, Always: true, Body: request.SmallBody, Handle: g.In(postLogin),
			Doc: "Exchanges the code of a link for a cookie that is only valid for requests from the gateway's own " +
				"page."},
		{Method: post, Pattern: "/api/console/logout", Right: access.RightRead, Group: group, Takes: struct{}{},
			Gives: request.StatusAnswer{}, Signal: true, Body: request.SmallBody, Handle: g.In(postLogout),
			Doc: "Ends the sign-in of the request's cookie."},
		{Method: get, Pattern: "/api/console/signins", Right: access.RightHuman, Group: group, Gives: signIns{},
			Doc: "Lists the browsers that are signed in.", Handle: g.In(getSignIns)},
		{Method: post, Pattern: "/api/console/signout", Right: access.RightHuman, Group: group, Takes: idBody{},
			Gives: request.StatusAnswer{}, Signal: true, Body: request.SmallBody, Handle: g.In(postSignOut),
			Doc:  "Signs a browser out and closes its open connection.",
			Also: []request.Answer{{Status: http.StatusNotFound, Doc: "No such sign-in."}}},
	}
}

func serveFile(c *request.Call, name, media string) error {
	body, err := dist.ReadFile("dist/" + name)
	if err != nil {
		return err
	}
	h := c.Response.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	return c.ReplyMedia(media, body)
}

// postLink answers with a link to the address that the client itself uses, which the guard has checked.
func postLink(c *core.Call) error {
	code, until := c.Gw.SignIns.Link(c.Right)
	return c.Reply(http.StatusOK, linkAnswer{"http://" + c.Request.Host + "/#login=" + code, until})
}

func postLogin(c *core.Call) error {
	var body codeBody
	if err := json.Unmarshal(c.Body, &body); err != nil || body.Code == "" {
		return problem.New(http.StatusBadRequest, "code must be the code from a sign-in link", `Send {"code": "…"}.`)
	}
	cookie, right, p := c.Gw.SignIns.Enter(body.Code, c.Request.UserAgent())
	if p != nil {
		return p
	}
	http.SetCookie(c.Response, cookie)
	return c.Reply(http.StatusOK, signedIn{string(right)})
}

func postLogout(c *core.Call) error {
	http.SetCookie(c.Response, c.Gw.SignIns.Leave(c.Request))
	return c.ReplyFixed(request.FixedOK)
}

func getSignIns(c *core.Call) error {
	return c.Reply(http.StatusOK, signIns{c.Gw.SignIns.List(c.Request)})
}

func postSignOut(c *core.Call) error {
	var body idBody
	if err := c.Decode(&body, `{"id": "…"}`); err != nil {
		return err
	}
	if !c.Gw.SignIns.End(body.ID) {
		return problem.New(http.StatusNotFound, "no such sign-in", "GET /api/console/signins lists them.")
	}
	return c.ReplyFixed(request.FixedOK)
}
