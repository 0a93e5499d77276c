package web

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parse parses a URL from a model or a page, and unwraps DuckDuckGo's redirects.
func (c *Client) parse(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil, ownProblem("the address is empty; give one that begins with https://")
	case len(text) > maxURL:
		return nil, ownProblem("the address has %d bytes, more than the limit of %d", len(text), maxURL)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return nil, ownProblem("the address contains a control character or is not UTF-8")
	}
	if strings.HasPrefix(text, "//") {
		text = "https:" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return nil, ownProblem("%s is not a complete address; give one that begins with https://", oneLine(text, 100))
	}
	if u.User != nil {
		return nil, ownProblem("addresses with a user name or password are rejected; leave them out")
	}
	u = unwrap(u)
	return u, c.check(u)
}

// check applies the rules that need no name lookup to a URL.
func (c *Client) check(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return ownProblem("%s addresses are rejected; only http and https are fetched", oneLine(u.Scheme, 20))
	}
	host := u.Hostname()
	if host == "" || u.Opaque != "" {
		return ownProblem("the address names no host; give one such as https://example.com/page")
	}
	if c.leaks(u.String()) {
		return ownProblem("the address contains a secret of this project, so it is not sent anywhere; leave the secret out")
	}
	port := portOf(u)
	if port == 0 {
		return ownProblem("the port of the address must be a number from 1 to 65535")
	}
	if !c.portKnown(port) {
		return ownProblem("port %d is not allowed; use an address with the usual port (80 or 443)", port)
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return c.permit(host, netip.AddrPortFrom(addr, port))
	}
	return nil
}

func portOf(u *url.URL) uint16 {
	switch {
	case u.Port() == "" && u.Scheme == "http":
		return 80
	case u.Port() == "":
		return 443
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return 0
	}
	return uint16(n)
}

// leaks reports whether a text contains a secret, directly or percent-encoded.
func (c *Client) leaks(text string) bool {
	for range 3 {
		folded := fold(text)
		for _, secret := range c.secrets {
			if strings.Contains(folded, secret) {
				return true
			}
		}
		decoded := decodePercent(text)
		if decoded == text {
			return false
		}
		text = decoded
	}
	return false
}

// fold normalises case, because host names are case-insensitive.
func fold(text string) string { return strings.ToLower(text) }

// decodePercent decodes well-formed escapes and keeps the rest.
func decodePercent(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unwrap returns the target of a DuckDuckGo redirect link (…/l/?uddg=TARGET), or u itself for any other URL.
func unwrap(u *url.URL) *url.URL {
	for range 3 {
		host := hostName(u.Hostname())
		if host != "duckduckgo.com" && !strings.HasSuffix(host, ".duckduckgo.com") {
			return u
		}
		target, err := url.Parse(u.Query().Get("uddg"))
		if err != nil || target.Host == "" || target.Scheme == "" {
			return u
		}
		target.User = nil
		u = target
	}
	return u
}
