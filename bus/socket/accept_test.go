package socket

import (
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestConnectionsAreAcceptedAgainAfterThatFailed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(t.Context(), path, func() (net.Conn, error) {
		inside, server := net.Pipe()
		go func() {
			_, _ = server.Write([]byte("welcome"))
			server.Close()
		}()
		return inside, nil
	})
	require.NoError(t, err)
	require.NoError(t, l.listener.SetDeadline(time.Unix(1, 0)), "accepting fails now")
	c, err := Dialer(path).Dial("", "")
	require.NoError(t, err)
	done := make(chan string)
	go func() {
		said, _ := io.ReadAll(c) // an error leaves it empty
		done <- string(said)
	}()
	require.NoError(t, l.listener.SetDeadline(time.Time{}))
	require.Equal(t, "welcome", <-done)
	require.NoError(t, c.Close())
	require.NoError(t, l.Close())
}

func TestAClientThatOnlySendsIsEndedAfterTheServer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(t.Context(), path, func() (net.Conn, error) {
		inside, server := net.Pipe()
		go func() {
			for range 1 << 10 { // more than the socket holds
				if _, err := server.Write(make([]byte, 4<<10)); err != nil {
					return
				}
			}
		}()
		go func() {
			_, _ = io.CopyN(io.Discard, server, 1<<20)
			server.Close()
		}()
		return inside, nil
	})
	require.NoError(t, err)
	c, err := Dialer(path).Dial("", "")
	require.NoError(t, err)
	for err == nil {
		_, err = c.Write(make([]byte, 32<<10))
	}
	require.NoError(t, c.Close())
	require.NoError(t, l.Close())
}
