package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"manualslop/tools/abandon"
)

// Formats of Page.Text.
const (
	FormatMarkdown = "markdown"
	FormatText     = "text"
)

// Link is one link of a page.
type Link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// Page is a fetched page. Its texts are safe to display but still untrusted.
type Page struct {
	URL         string // final URL, after redirects
	Status      int
	ContentType string
	Title       string
	Text        string
	Main        bool // Text is the main part of a page, without navigation and the like
	Cut         bool // the page is longer than MaxBody and Text holds only its beginning
	Removed     int  // number of control and invisible characters removed from Text
	Links       []Link
}

// Fetch fetches one page. The error is a *Problem, the context's error, or internal. A response with an error
// status (400 and above) is returned as a page.
func (c *Client) Fetch(ctx context.Context, address, format string) (*Page, error) {
	if c == nil {
		return nil, ownProblem("this call has no network")
	}
	u, err := c.parse(address)
	if err != nil {
		return nil, err
	}
	within, cancel := c.within(ctx)
	defer cancel()
	r, err := c.get(within, u, nil)
	if err != nil {
		return nil, err
	}
	return soon(within, func() (*Page, error) { return r.page(format) })
}

// soon calls work and stops waiting for it when ctx ends. work has its own limits, so an abandoned call ends too.
func soon[T any](ctx context.Context, work func() (T, error)) (T, error) {
	value, err := abandon.WhenDone(ctx, work)
	if err != nil && errors.Is(err, ctx.Err()) && errors.Is(context.Cause(ctx), errTooSlow) {
		return value, ownProblem("the page took too long to process; use another source")
	}
	return value, err
}

// page converts a response to a Page.
func (r *response) page(format string) (*Page, error) {
	k := r.kind()
	page := &Page{URL: r.url.String(), Status: r.status, ContentType: r.mediaType(), Cut: r.cut, Links: []Link{}}
	switch k {
	case kindHTML:
		r.readHTML(page, r.decode(k), format)
	case kindText:
		page.Text = r.decode(k)
	default:
		if r.status < http.StatusBadRequest {
			return nil, problem("%s is %s, not text, so it is not shown; look for a text version of the same content",
				shownURL(r.url), r.described())
		}
	}
	page.Text, page.Removed = harmless(page.Text)
	page.Title = oneLine(page.Title, 300)
	page.ContentType = oneLine(page.ContentType, 100)
	return page, nil
}

// described returns the type and, if known, the size of a response that is not shown.
func (r *response) described() string {
	what := "of the type " + oneLine(r.mediaType(), 60)
	if r.mediaType() == "application/pdf" || strings.HasPrefix(string(r.body), "%PDF-") {
		what = "a PDF document"
	}
	size := r.header.Get("Content-Length")
	switch {
	case size != "" && !strings.ContainsFunc(size, func(c rune) bool { return c < '0' || c > '9' }):
		return what + " (" + oneLine(size, 20) + " bytes)"
	case len(r.body) < sniffed:
		return fmt.Sprintf("%s (%d bytes)", what, len(r.body))
	}
	return what
}

// base returns the URL against which relative links of the page are resolved.
func (r *response) base(href string) *url.URL {
	if u, err := r.url.Parse(href); href != "" && err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return u
	}
	return r.url
}
