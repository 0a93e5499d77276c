package policy

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"manualslop/events/chars"
)

// MaxHostName limits the length of a host name, in bytes.
const MaxHostName = 253

// Host is an allowed host: NAME, *.NAME or an address, each with an optional :PORT.
type Host struct {
	Name  string     // as returned by [PlainHost]; empty for an address
	Below bool       // *.NAME: matches names below NAME, but not NAME itself
	Addr  netip.Addr // invalid for a name
	Port  uint16     // 0 means 80 and 443
}

// ParseHost parses an entry of the list of allowed hosts. It returns false if text is not valid.
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

// PlainHost returns a host name in lower case and without its final dot.
func PlainHost(name string) string { return strings.TrimSuffix(chars.Lower(name), ".") }

// PlainAddr returns an address without its zone, and an IPv4-mapped IPv6
// address as IPv4.
func PlainAddr(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// Covers reports whether the entry allows a host with this plain name.
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
