package bustest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Port range outside the usual ephemeral ranges, which begin at 32768 and 49152.
const (
	firstPort = 20000
	ports     = 12000
)

// Address returns a local address for a server that a test restarts. A port chosen by the system could be taken
// by another test before the restart.
func Address(tb testing.TB) string {
	tb.Helper()
	var err error
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(ports))
		var l net.Listener
		if l, err = net.Listen("tcp", address); err != nil {
			continue
		}
		if err = l.Close(); err == nil {
			return address
		}
	}
	tb.Fatalf("no port is free: %v", err)
	return ""
}
