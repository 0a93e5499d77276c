package socket_test

import (
	"io"
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus/socket"
)

func TestAClientThatIsStillSendingReadsTheLastWordsOfTheServer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	ended := make(chan struct{})
	l, err := socket.Listen(t.Context(), path, func() (net.Conn, error) {
		inside, server := net.Pipe()
		go func() {
			_, _ = server.Write([]byte("refused"))
			server.Close()
			close(ended)
		}()
		return inside, nil
	})
	require.NoError(t, err)
	c, err := socket.Dialer(path).Dial("", "")
	require.NoError(t, err)
	<-ended
	for range 100 {
		_, err = c.Write([]byte("hello"))
		require.NoError(t, err)
	}
	said, err := io.ReadAll(c)
	require.NoError(t, err)
	require.Equal(t, "refused", string(said))
	require.NoError(t, c.Close())
	require.NoError(t, l.Close())
}
