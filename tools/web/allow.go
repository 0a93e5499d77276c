package web

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// entry is one allowed host.
type entry struct {
	name string     // folded, without a trailing dot; empty for an address
	deep bool       // *.NAME: the names below, not the name itself
	addr netip.Addr // invalid for a name
	port uint16     // zero: the standard ports
}

func parseEntry(text string) (entry, bool) {
	if addr, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return entry{addr: addr.Unmap().WithZone("")}, true
	}
	var e entry
	if host, port, err := net.SplitHostPort(text); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return entry{}, false
		}
		e.port, text = uint16(n), host
		if addr, err := netip.ParseAddr(host); err == nil {
			e.addr = addr.Unmap().WithZone("")
			return e, true
		}
	}
	name, deep := strings.CutPrefix(text, "*.")
	e.name, e.deep = hostName(name), deep
	bad := e.name == "" || len(e.name) > maxEntryName || strings.ContainsAny(e.name, "*/@:[] \t")
	return e, !bad
}

// hostName brings a host to the form in which it is looked up: ASCII, lower case, no final dot.
func hostName(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// covers tells whether the entry speaks of a name.
func (e entry) covers(host string) bool {
	switch {
	case e.name == "":
		return false
	case e.deep:
		return strings.HasSuffix(host, "."+e.name)
	}
	return host == e.name
}

// opens tells whether the entry speaks of a port.
func (e entry) opens(port uint16) bool {
	return e.port == port || e.port == 0 && standard(port)
}

func standard(port uint16) bool { return port == 80 || port == 443 }

// listed finds out how the allowed hosts speak of a connection: by its address or by its name.
func (c *Client) listed(host string, to netip.AddrPort) (asAddress, asName bool) {
	host = hostName(host)
	addr := to.Addr().Unmap().WithZone("")
	for _, e := range c.allow {
		if !e.opens(to.Port()) {
			continue
		}
		asAddress = asAddress || e.addr.IsValid() && e.addr == addr
		asName = asName || e.covers(host)
	}
	return asAddress, asName
}

// portKnown tells whether any connection to the port could be permitted.
func (c *Client) portKnown(port uint16) bool {
	if standard(port) {
		return true
	}
	for _, e := range c.allow {
		if e.port == port {
			return true
		}
	}
	return false
}

// permit judges one connection on its final address.
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
		return problem("%s leads to %s, which this tool may not reach; use another source", shownHost(host), s.what)
	case !standard(to.Port()):
		return problem("port %d is not allowed; use an address with the usual port (80 or 443)", to.Port())
	}
	return nil
}

// isOwn tells whether an address belongs to an interface of this machine. Where they cannot be
// listed, none does: the table has judged the address before.
func isOwn(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range own {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Unmap().WithZone("") == addr {
			return true
		}
	}
	return false
}

func shownHost(host string) string { return oneLine(host, 100) }
