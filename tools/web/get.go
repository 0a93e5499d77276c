package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// userAgent identifies the client.
const userAgent = "Mozilla/5.0 (compatible; manual-slop/1.0; fetches single pages for a person's agent)"

// response is an HTTP response with the beginning of its body.
type response struct {
	url    *url.URL // URL of the last request, without credentials and fragment
	status int
	header http.Header
	body   []byte
	cut    bool // the body was longer than MaxBody
}

// get makes one request and follows its redirects. If form is set, it is posted, and redirects are followed with GET.
func (c *Client) get(ctx context.Context, u *url.URL, form url.Values) (_ *response, err error) {
	transport := c.transport()
	defer transport.CloseIdleConnections()
	hop := 0
	defer func() {
		var p *Problem
		if hop > 0 && errors.As(err, &p) {
			p.Own = false // a server wrote the address that the text names
		}
	}()
	for ; ; hop++ {
		answer, err := c.roundTrip(ctx, transport, u, form)
		if err != nil {
			return nil, err
		}
		next, redirected, err := c.redirect(answer, u)
		if err == nil && !redirected {
			return c.read(ctx, answer, u)
		}
		_ = answer.Body.Close()
		if err != nil {
			return nil, err
		}
		if hop == MaxRedirects {
			return nil, problem("more than %d redirects; the last one leads to %s", MaxRedirects, shownURL(next))
		}
		u, form = next, nil
	}
}

// transport returns a transport that checks every connection and uses it for one request only.
func (c *Client) transport() *http.Transport {
	return &http.Transport{
		Proxy: nil, DialContext: c.dial, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: maxHeader, TLSHandshakeTimeout: dialTimeout,
	}
}

// dial connects to an address that permit allows. The check happens after name resolution.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{
		Timeout: dialTimeout, Resolver: c.resolver,
		ControlContext: func(_ context.Context, _, final string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(final)
			if err != nil {
				return ownProblem("cannot check the address of %s", shownHost(host))
			}
			return c.permit(host, to)
		},
	}
	return dialer.DialContext(ctx, network, address)
}

func (c *Client) roundTrip(ctx context.Context, transport *http.Transport, u *url.URL, form url.Values) (*http.Response,
	error) {
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, ownProblem("%s cannot be fetched", shownURL(u))
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Accept", "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5")
	request.Header.Set("Accept-Language", "en,*;q=0.5")
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return nil, c.failure(ctx, u, err)
	}
	return answer, nil
}

// redirect returns the checked target of a redirect response.
func (c *Client) redirect(answer *http.Response, u *url.URL) (*url.URL, bool, error) {
	switch answer.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
	default:
		return nil, false, nil
	}
	location := answer.Header.Get("Location")
	if location == "" {
		return nil, false, nil
	}
	next, err := u.Parse(location)
	if err != nil || len(location) > maxURL {
		return nil, true, problem("%s redirects to an invalid address", shownURL(u))
	}
	next.User, next.Fragment, next.RawFragment = nil, "", ""
	next = unwrap(next)
	if err := c.check(next); err != nil {
		return nil, true, problem("%s redirects to an address that is rejected: %s", shownURL(u), err.Error())
	}
	return next, true, nil
}

// read reads the body up to its limits. It reads only the beginning of a body that is not text.
func (c *Client) read(ctx context.Context, answer *http.Response, u *url.URL) (*response, error) {
	defer answer.Body.Close()
	if encoding := answer.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, problem("%s answered with the compression %s, which was not "+
			"requested", shownURL(u), oneLine(encoding, 30))
	}
	final := *u
	final.Fragment, final.RawFragment = "", ""
	r := &response{url: &final, status: answer.StatusCode, header: answer.Header}
	begin, err := io.ReadAll(io.LimitReader(answer.Body, sniffed))
	if r.body = begin; err == nil && len(begin) == sniffed && r.kind() != kindBinary {
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(answer.Body, MaxBody-sniffed+1))
		r.body = append(bytes.Clone(begin), rest...)
	}
	if err != nil {
		return nil, c.failure(ctx, u, err)
	}
	if r.cut = len(r.body) > MaxBody; r.cut {
		r.body = r.body[:MaxBody]
	}
	return r, nil
}

// failure converts a network error to a Problem.
func (c *Client) failure(ctx context.Context, u *url.URL, err error) error {
	var (
		op       *net.OpError
		refused  *Problem
		name     *net.DNSError
		cert     *tls.CertificateVerificationError
		unknown  x509.UnknownAuthorityError
		deadline = context.Cause(ctx)
	)
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(deadline, errTooSlow):
		return ownProblem("%s did not answer within %s; try again later or use another source", shownURL(u),
			c.timeout.Round(time.Millisecond))
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &name):
		return ownProblem("the host %s cannot be found; check the spelling", shownHost(u.Hostname()))
	case errors.As(err, &cert), errors.As(err, &unknown):
		return problem("the certificate of %s is not valid: %s", shownHost(u.Hostname()), oneLine(err.Error(), 200))
	case errors.As(err, &op) && op.Op == "dial":
		return ownProblem("%s cannot be fetched: %s", shownURL(u), oneLine(reason(err), 200))
	}
	return problem("%s cannot be fetched: %s", shownURL(u), oneLine(reason(err), 200))
}

// reason returns the text of an error without the addresses that the net package adds.
func reason(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return op.Op + ": " + op.Err.Error()
	}
	return err.Error()
}

var errTooSlow = errors.New("the fetch timed out")

// within returns the context that limits the time of one fetch.
func (c *Client) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.timeout, errTooSlow)
}

func shownURL(u *url.URL) string { return oneLine(u.Redacted(), 300) }
