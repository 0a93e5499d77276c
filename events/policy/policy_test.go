package policy_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events/policy"
)

func TestAHostIsANameAPatternOrAnAddressWithAPort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]policy.Host{
		"Docs.Example.":                         {Name: "docs.example"},
		"*.deep.example":                        {Name: "deep.example", Below: true},
		"odd.example:8443":                      {Name: "odd.example", Port: 8443},
		"127.0.0.1":                             {Addr: netip.MustParseAddr("127.0.0.1")},
		"::ffff:127.0.0.1":                      {Addr: netip.MustParseAddr("127.0.0.1")},
		"[::1]":                                 {Addr: netip.MustParseAddr("::1")},
		"[fe80::1%eth0]:443":                    {Addr: netip.MustParseAddr("fe80::1"), Port: 443},
		strings.Repeat("a", policy.MaxHostName): {Name: strings.Repeat("a", policy.MaxHostName)},
	} {
		got, ok := policy.ParseHost(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", "*.", "*", "a*b.example", "*.*.example", "http://a.example", "a.example/x", "me@a.example", "a b", "a.example:0",
		"a.example:65536", "a.example:http",
		strings.Repeat("a", policy.MaxHostName+1),
	} {
		_, ok := policy.ParseHost(text)
		require.False(t, ok, text)
	}
}

func TestAPatternOpensTheNamesBelowItOnly(t *testing.T) {
	t.Parallel()
	below, _ := policy.ParseHost("*.example")
	require.True(t, below.Covers("a.example"))
	require.True(t, below.Covers("a.b.example"))
	require.False(t, below.Covers("example"))
	require.False(t, below.Covers("anexample"))
	name, _ := policy.ParseHost("example")
	require.True(t, name.Covers("example"))
	require.False(t, name.Covers("a.example"))
	addr, _ := policy.ParseHost("127.0.0.1")
	require.False(t, addr.Covers(""))
}

func TestAHostWithoutAPortOpensTheStandardOnes(t *testing.T) {
	t.Parallel()
	plain, _ := policy.ParseHost("a.example")
	other, _ := policy.ParseHost("a.example:8080")
	require.Equal(t, []bool{true, true, false}, []bool{plain.Opens(80), plain.Opens(443), plain.Opens(8080)})
	require.Equal(t, []bool{false, false, true}, []bool{other.Opens(80), other.Opens(443), other.Opens(8080)})
}

func TestSteeringNamesAreTheFirstElementsOfTheFiles(t *testing.T) {
	t.Parallel()
	names := policy.SteeringNames()
	require.Contains(t, names, ".git")
	require.Contains(t, names, "slop.toml")
	for _, file := range policy.SteeringFiles() {
		first, _, _ := strings.Cut(file, "/")
		require.Contains(t, names, first)
	}
	require.Len(t, names, 16, "each once")
}
