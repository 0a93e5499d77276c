package policy

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"manualslop/events/chars"
)

// MaxHostName is the longest name of a host, in bytes.
const MaxHostName = 253

// Host is an allowed host: NAME, *.NAME or an address, each with an optional :PORT.
type Host struct {
	Name  string     // as returned by [PlainHost]; empty for an address
	Below bool       // *.NAME: the names below, not the name itself
	Addr  netip.Addr // invalid for a name
	Port  uint16     // 0: 80 and 443
}

// ParseHost reads an entry of the list of allowed hosts. It returns false if text is not one.
func ParseHost(text string) (Host, bool) {
	var h Host
	host, port, err := net.SplitHostPort(text)
	switch n, bad := strconv.ParseUint(port, 10, 16); {
	case err != nil:
		host = strings.Trim(text, "[]")
	case bad != nil || n == 0:
		return Host{}, false
	default:
		h.Port, text = uint16(n), host
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		h.Addr = PlainAddr(addr)
		return h, true
	}
	name, below := strings.CutPrefix(text, "*.")
	h.Name, h.Below = PlainHost(name), below
	return h, h.Name != "" && len(name) <= MaxHostName && !strings.ContainsAny(h.Name, "*/@:[] \t")
}

// PlainHost returns the name of a host without case and without its final dot.
func PlainHost(name string) string { return strings.TrimSuffix(chars.Lower(name), ".") }

// PlainAddr returns an address without its zone, and an IPv4-mapped IPv6
// address as IPv4.
func PlainAddr(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// Covers reports whether the entry allows a host, given its plain name.
func (h Host) Covers(name string) bool {
	if h.Below {
		return strings.HasSuffix(name, "."+h.Name)
	}
	return h.Name != "" && name == h.Name
}

// Opens reports whether the entry allows a port.
func (h Host) Opens(port uint16) bool { return h.Port == port || h.Port == 0 && StandardPort(port) }

// StandardPort reports whether a port is always allowed: 80 or 443.
func StandardPort(port uint16) bool { return port == 80 || port == 443 }
