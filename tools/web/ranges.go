package web

import "net/netip"

// reach says which kind of allow-list entry permits a special address. Zero is invalid.
type reach uint8

const (
	// byName means that an entry with the host's name, or with the address, opens it.
	byName reach = iota + 1
	// byAddress means that only an entry with the address itself opens it.
	byAddress
)

// special is a block of addresses that are not public.
type special struct {
	block netip.Prefix
	what  string
	reach reach
}

// registry returns the special-purpose registries of IANA for both families, without the globally reachable
// blocks, plus metadata services of clouds at public addresses.
func registry() []special {
	var out []special
	add := func(reach reach, what string, blocks ...string) {
		for _, block := range blocks {
			out = append(out, special{netip.MustParsePrefix(block), what, reach})
		}
	}
	add(byName, "an address of this machine", "127.0.0.0/8", "::1/128")
	add(byName, "a private address", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "100.64.0.0/10")
	add(byAddress, "a metadata service", "169.254.169.254/32", "fd00:ec2::254/128", "168.63.129.16/32")
	add(byAddress, "a link-local address", "169.254.0.0/16", "fe80::/10", "fec0::/10")
	add(byAddress, "an unspecified address", "0.0.0.0/8", "::/128")
	add(byAddress, "a multicast or broadcast address", "224.0.0.0/4", "255.255.255.255/32", "ff00::/8")
	add(byAddress, "a documentation address", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32",
		"3fff::/20")
	add(byAddress, "a benchmarking address", "198.18.0.0/15")
	add(byAddress, "a translated address", "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "2001::/32",
		"2002::/16", "192.88.99.0/24")
	add(byAddress, "a reserved address", "192.0.0.0/24", "240.0.0.0/4", "100::/64", "100:0:0:1::/64", "2001::/23",
		"5f00::/16")
	return out
}

// nat64 is the only range of translated addresses that may lead to a public address.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// global is the range of public IPv6 addresses; all others are reserved.
var global = netip.MustParsePrefix("2000::/3")

// classify returns the special block of an address, and false for a public address. An address that embeds
// another one is classified by the inner one or rejected as a whole.
func classify(table []special, addr netip.Addr) (special, bool) {
	addr = addr.Unmap().WithZone("")
	if nat64.Contains(addr) {
		b := addr.As16()
		addr = netip.AddrFrom4([4]byte(b[12:]))
	}
	best, found := special{}, false
	for _, s := range table {
		if s.block.Contains(addr) && (!found || s.block.Bits() > best.block.Bits()) {
			best, found = s, true
		}
	}
	switch {
	case found:
		return best, true
	case !addr.IsValid() || addr.Is6() && !global.Contains(addr):
		return special{what: "a reserved address", reach: byAddress}, true
	}
	return special{}, false
}
