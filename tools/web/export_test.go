package web

import (
	"net/http"
	"net/url"
)

// ReadForTest reads a body as if a server had sent it.
func ReadForTest(body, contentType string) (*Page, error) {
	r := &response{url: &url.URL{Scheme: "https", Host: "a.example"}, status: http.StatusOK, body: []byte(body),
		header: http.Header{"Content-Type": {contentType}}}
	return r.page(FormatMarkdown)
}
