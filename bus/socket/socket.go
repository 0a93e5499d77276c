// Package socket lets processes of this user reach a server inside another process over a socket in one of the
// user's folders. It does not interpret the data.
package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"sync"
	"time"
)

// dialTimeout limits the wait for a process that does not accept connections.
const dialTimeout = 5 * time.Second

// lingering limits how long a connection that the server has ended takes what the client still sends.
const lingering = time.Second

// acceptPause is the delay before connections are accepted again after that failed.
const acceptPause = 100 * time.Millisecond

// Listener accepts connections on a socket and connects each to an internal one.
type Listener struct {
	listener *net.UnixListener
	piping   sync.WaitGroup

	mu   sync.Mutex
	open map[*net.UnixConn]struct{} // nil after Close
}

// Listen accepts connections on a socket at path, which only this user can open, and connects each to a
// connection that inside creates. It first removes any file at path, so the caller must own the folder. It fails
// if the path is too long for a socket or the system does not support sockets.
func Listen(ctx context.Context, path string, inside func() (net.Conn, error)) (*Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("socket: %w", err)
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, fmt.Errorf("socket: %w", errors.Join(err, listener.Close()))
	}
	l := &Listener{listener: listener.(*net.UnixListener), open: map[*net.UnixConn]struct{}{}}
	l.piping.Go(func() { l.accept(inside) })
	return l, nil
}

func (l *Listener) accept(inside func() (net.Conn, error)) {
	for {
		outer, err := l.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as too many open files
			time.Sleep(acceptPause)
			continue
		}
		inner, err := inside()
		if err != nil {
			outer.Close() // the client sees a closed connection
			continue
		}
		l.mu.Lock()
		if l.open == nil {
			l.mu.Unlock()
			outer.Close()
			inner.Close()
			return
		}
		l.open[outer] = struct{}{}
		l.mu.Unlock()
		l.piping.Go(func() {
			_, _ = io.Copy(inner, outer) // the server sees the end
			inner.Close()
			_ = outer.SetDeadline(time.Now().Add(lingering)) // also ends a write to a client that does not read
			_, _ = io.Copy(io.Discard, outer)
			outer.Close()
			l.mu.Lock()
			defer l.mu.Unlock()
			delete(l.open, outer)
		})
		l.piping.Go(func() {
			_, _ = io.Copy(outer, inner) // the client sees the end
			inner.Close()
			// A client that is still sending would otherwise see its own failure instead of the server's last words.
			_ = outer.SetReadDeadline(time.Now().Add(lingering))
			_ = outer.CloseWrite()
		})
	}
}

// Close ends every connection and removes the socket.
func (l *Listener) Close() error {
	err := l.listener.Close()
	l.mu.Lock()
	// order-independent: all of them are closed
	for c := range l.open {
		c.Close()
	}
	l.open = nil
	l.mu.Unlock()
	l.piping.Wait()
	return err
}

// Dialer connects to the socket at this path, whatever the address.
type Dialer string

// Dial connects to the socket. It fails after 5 s.
func (d Dialer) Dial(_, _ string) (net.Conn, error) {
	return (&net.Dialer{Timeout: dialTimeout}).Dial("unix", string(d))
}
