package access

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// Errors of listening.
var (
	// ErrNotLoopback means that the address can be reached from other machines, or is a name that clients must not use
	// for the gateway.
	ErrNotLoopback = errors.New("the gateway listens on 127.0.0.1, ::1 or localhost only")
	// ErrAddress means that the text is not an address to listen on.
	ErrAddress = errors.New("listen address")
	// ErrAddressInUse means that another program listens there.
	ErrAddressInUse = errors.New("address in use")
)

// Listen binds addr, which is host:port and must be loopback. Errors: ErrAddress,
// ErrNotLoopback, ErrAddressInUse.
func Listen(ctx context.Context, addr string) (*net.TCPListener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrAddress, addr, err)
	}
	switch host {
	case "127.0.0.1", "::1":
	case "localhost":
		host = "127.0.0.1"
	default:
		return nil, fmt.Errorf("listen on %q: %w", addr, ErrNotLoopback)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, fmt.Errorf("%w %q: the port must be 0 to 65535", ErrAddress, addr)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%w: another program (or another slop) is already listening on %s; choose another "+
			"address with --listen HOST:PORT or [hooks] listen; port 0 picks a free one", ErrAddressInUse, addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return l.(*net.TCPListener), nil
}
