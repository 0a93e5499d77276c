package web

import (
	"net"
	"net/netip"

	"golang.org/x/net/idna"

	"manualslop/events/policy"
)

// parseHost parses an entry of the list of allowed hosts and normalises its name with hostName.
func parseHost(text string) (policy.Host, bool) {
	h, ok := policy.ParseHost(text)
	if h.Name != "" {
		h.Name = hostName(h.Name)
	}
	return h, ok
}

// hostName normalises a host for lookup: ASCII, lower case, no final dot.
func hostName(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return policy.PlainHost(host)
}

// listed reports whether the allowed hosts list a connection by its address, and whether they list it by its name.
func (c *Client) listed(host string, to netip.AddrPort) (asAddress, asName bool) {
	host = hostName(host)
	addr := policy.PlainAddr(to.Addr())
	for _, h := range c.allow {
		if !h.Opens(to.Port()) {
			continue
		}
		asAddress = asAddress || h.Addr.IsValid() && h.Addr == addr
		asName = asName || h.Covers(host)
	}
	return asAddress, asName
}

// portKnown reports whether any connection to the port could be permitted.
func (c *Client) portKnown(port uint16) bool {
	if policy.StandardPort(port) {
		return true
	}
	for _, h := range c.allow {
		if h.Port == port {
			return true
		}
	}
	return false
}

// permit decides whether one connection is allowed, by its final address.
func (c *Client) permit(host string, to netip.AddrPort) error {
	asAddress, asName := c.listed(host, to)
	s, isSpecial := classify(c.table, to.Addr())
	if !isSpecial && isOwn(to.Addr()) {
		s, isSpecial = special{what: "an address of this machine", reach: byName}, true
	}
	switch {
	case asAddress, asName && (!isSpecial || s.reach == byName):
		return nil
	case isSpecial:
		return ownProblem("%s leads to %s, which this tool may not reach; use another source", shownHost(host), s.what)
	case !policy.StandardPort(to.Port()):
		return ownProblem("port %d is not allowed; use an address with the usual port (80 or 443)", to.Port())
	}
	return nil
}

// isOwn reports whether an address belongs to an interface of this machine. If the interfaces cannot be listed,
// it returns false; the table of special addresses was checked before.
func isOwn(addr netip.Addr) bool {
	addr = policy.PlainAddr(addr)
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range own {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && policy.PlainAddr(prefix.Addr()) == addr {
			return true
		}
	}
	return false
}

func shownHost(host string) string { return oneLine(host, 100) }
