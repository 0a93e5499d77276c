package access

import (
	"io"
	"net"
	"strconv"
	"sync"
	"time"
)

// turnedAway is the response to a connection over the limit.
var turnedAway = crowded(`{"error":"too many connections","hint":"Close some and try again."}` + "\n")

// lingerTime is how long a refused client may take to read the response.
const lingerTime = 500 * time.Millisecond

func crowded(body string) []byte {
	return []byte("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: " +
		"close\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

// Listener accepts at most cap(slots) connections at a time and answers the others with an error.
type Listener struct {
	*net.TCPListener
	slots  chan struct{}
	linger chan struct{}
}

// Bound returns a listener with at most conns open connections.
func Bound(l *net.TCPListener, conns int) *Listener {
	return &Listener{TCPListener: l, slots: make(chan struct{}, conns), linger: make(chan struct{}, 64)}
}

// Accept waits for a connection that has a free slot.
func (b *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := b.AcceptTCP()
		if err != nil {
			return nil, err
		}
		select {
		case b.slots <- struct{}{}:
			return &boundedConn{TCPConn: conn, free: sync.OnceFunc(func() { <-b.slots })}, nil
		default:
			b.turnAway(conn)
		}
	}
}

// Open returns the number of open connections.
func (b *Listener) Open() int { return len(b.slots) }

func (b *Listener) turnAway(conn *net.TCPConn) {
	select {
	case b.linger <- struct{}{}:
	default:
		conn.Close()
		return
	}
	go func() {
		defer func() { <-b.linger }()
		defer conn.Close()
		if conn.SetDeadline(time.Now().Add(lingerTime)) != nil {
			return
		}
		if _, err := conn.Write(turnedAway); err == nil && conn.CloseWrite() == nil {
			// so that a reset does not destroy the response
			_, _ = io.Copy(io.Discard, io.LimitReader(conn, maxDrained))
		}
	}()
}

type boundedConn struct {
	*net.TCPConn
	free func()
}

// Close frees the slot.
func (c *boundedConn) Close() error {
	defer c.free()
	return c.TCPConn.Close()
}

// LetRead marks the response as complete and gives the client time to read it: closing a connection with unread bytes
// would cut the response off.
func LetRead(conn net.Conn) {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil || conn.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(conn, maxDrained))
}

// maxDrained is how much is read of what a client sends after its request.
const maxDrained = 64 << 10
