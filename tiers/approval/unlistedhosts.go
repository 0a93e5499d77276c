package approval

import (
	"encoding/json"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"manualslop/events/chars"
	"manualslop/events/policy"
)

// webSearch is the tool whose address comes from a setting instead of an argument.
const webSearch = "web_search"

// strangeHost returns the host that a call reaches and the user did not list; empty if all hosts
// are listed. A call that names no address counts as reaching an unknown host. Redirects from a
// listed host to another one cannot be detected here.
func (s *State) strangeHost(c *call) string {
	targets := addresses(c.args)
	if c.request.Tool == webSearch {
		targets = append(targets, s.settings.SearchURL)
	}
	if len(targets) == 0 {
		return "reaches a machine that its arguments do not name"
	}
	for _, target := range targets {
		u, err := url.Parse(target)
		if err != nil || u.Hostname() == "" {
			return "reaches an address that cannot be read: " + line(target)
		}
		if !s.lists(u) {
			return "reaches " + line(u.Host) + ", which is not in [net] allow_hosts"
		}
	}
	return ""
}

// addresses returns the arguments that are network addresses: those named url, and every other
// string that looks like a URL.
func addresses(args json.RawMessage) []string {
	var members map[string]any
	if json.Unmarshal(args, &members) != nil {
		return nil
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(members)) {
		text, is := members[key].(string)
		if lower := chars.Lower(text); is && (key == "url" || strings.HasPrefix(lower, "http://") ||
			strings.HasPrefix(lower, "https://")) {
			out = append(out, text)
		}
	}
	return out
}

// lists reports whether the user listed the host. It never allows more than the network tools'
// own list: names are compared as written, ignoring case.
func (s *State) lists(u *url.URL) bool {
	for _, entry := range s.settings.AllowHosts {
		if opensHost(entry, u) {
			return true
		}
	}
	return false
}

// opensHost reports whether an entry of the list allows a host.
func opensHost(entry string, u *url.URL) bool {
	listed, ok := policy.ParseHost(entry)
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	if !ok || err != nil || !listed.Opens(uint16(port)) {
		return false
	}
	host := policy.PlainHost(u.Hostname())
	if addr, err := netip.ParseAddr(host); err == nil {
		return listed.Addr == policy.PlainAddr(addr)
	}
	return listed.Covers(host)
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case chars.Lower(u.Scheme) == "http":
		return "80"
	}
	return "443"
}
