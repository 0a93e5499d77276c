package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2/render"
	"golang.org/x/net/html"
)

// MaxHits limits the results of a search.
const MaxHits = 5

// Hit is one search result. Its texts are safe to display but still untrusted.
type Hit struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
	Refused string `json:"refused,omitempty"` // why fetch_url would reject the URL; empty if it would not
}

// Search queries the search form and returns the first results, which may be empty. The error is a *Problem, the
// context's error, or internal. A CAPTCHA page is a *Problem.
func (c *Client) Search(ctx context.Context, query string) ([]Hit, error) {
	if c == nil {
		return nil, ownProblem("this call has no network")
	}
	query = strings.Join(strings.Fields(query), " ")
	if strings.ContainsFunc(query, unicode.IsControl) {
		return nil, ownProblem("the query contains a control character; give a few words")
	}
	query, _ = harmless(query)
	switch {
	case query == "":
		return nil, ownProblem("the query is empty; give a few words to search for")
	case utf8.RuneCountInString(query) > maxQuery:
		return nil, ownProblem("the query has %d characters, more than the limit of %d; give a few words",
			utf8.RuneCountInString(query), maxQuery)
	case c.leaks(query):
		return nil, ownProblem("the query contains a secret of this project, so it is not sent anywhere; leave the secret out")
	}
	if err := c.check(c.search); err != nil {
		return nil, err
	}
	within, cancel := c.within(ctx)
	defer cancel()
	r, err := c.get(within, c.search, url.Values{"q": {query}})
	if err != nil {
		return nil, err
	}
	return soon(within, func() ([]Hit, error) { return c.hits(r) })
}

// hits reads a result page.
func (c *Client) hits(r *response) ([]Hit, error) {
	if r.kind() != kindHTML {
		return nil, problem("the search at %s answered with %s instead of a page (status %d); try again later",
			shownHost(r.url.Hostname()), r.described(), r.status)
	}
	doc, err := html.Parse(strings.NewReader(r.decode(kindHTML)))
	if err != nil {
		return nil, problem("the result page of the search at %s cannot be read; try again "+
			"later", shownHost(r.url.Hostname()))
	}
	found, empty, challenge := c.collect(r, doc)
	switch {
	case len(found) > 0:
		return found, nil
	case challenge || r.status == http.StatusAccepted:
		return nil, problem("the search at %s takes this machine for a robot and returned no results; wait a few "+
			"minutes, or "+
			"fetch a page you know with fetch_url", shownHost(r.url.Hostname()))
	case r.status >= http.StatusBadRequest:
		return nil, problem("the search at %s answered with status %d; try again later", shownHost(r.url.Hostname()),
			r.status)
	case empty:
		return []Hit{}, nil
	}
	return nil, problem("the result page of the search at %s has an unknown format; fetch a page you know with fetch_url",
		shownHost(r.url.Hostname()))
}

// collect walks the page once and collects its results. Advertisements are left out.
func (c *Client) collect(r *response, doc *html.Node) (found []Hit, empty, challenge bool) {
	found = []Hit{}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		classes := " " + attribute(n, "class") + " "
		switch {
		case strings.Contains(classes, "anomaly") || strings.Contains(attribute(n, "id"), "anomaly"),
			strings.Contains(attribute(n, "action"), "anomaly"):
			challenge = true
		case strings.Contains(classes, " no-results") || strings.Contains(classes, "--no-result "):
			empty = true
		case n.Data == "a" && strings.Contains(classes, " result__a ") && !isAd(n) && len(found) < MaxHits:
			if hit, ok := c.hit(r, n); ok {
				found = append(found, hit)
			}
		case strings.Contains(classes, " result__snippet ") && !isAd(n) && len(found) > 0 &&
			found[len(found)-1].Snippet == "" && ofHit(n, found, r):
			found[len(found)-1].Snippet = oneLine(render.InnerText(n), 500)
		}
	}
	return found, empty, challenge
}

// ofHit reports whether a snippet belongs to the last hit: it links to the same page, or has no link.
func ofHit(n *html.Node, found []Hit, r *response) bool {
	href := attribute(n, "href")
	if href == "" {
		return true
	}
	target, err := r.url.Parse(href)
	return err == nil && unwrap(target).String() == found[len(found)-1].URL
}

func (c *Client) hit(r *response, n *html.Node) (Hit, bool) {
	target, err := r.url.Parse(strings.TrimSpace(attribute(n, "href")))
	if err != nil || target.Host == "" {
		return Hit{}, false
	}
	target.User = nil
	target = unwrap(target)
	shown, _ := harmless(target.String())
	hit := Hit{Title: oneLine(render.InnerText(n), 200), URL: shown}
	if err := c.check(target); err != nil {
		hit.Refused = err.Error()
	}
	return hit, true
}

// isAd reports whether an element is inside an advertisement.
func isAd(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if strings.Contains(" "+attribute(n, "class")+" ", " result--ad ") {
			return true
		}
	}
	return false
}
