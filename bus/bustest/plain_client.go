package bustest

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"manualslop/bus"
)

// Stock connects to a server in another process with the plain NATS client and one token from a file that
// WriteKeys wrote, like a client without our code. The channel delivers the server's errors about rejected
// publishes.
func Stock(tb testing.TB, url, keyFile, actor string) (*nats.Conn, <-chan error) {
	tb.Helper()
	var keys struct{ Tokens map[string]string }
	body, err := os.ReadFile(keyFile)
	if err == nil {
		err = json.Unmarshal(body, &keys)
	}
	if err != nil {
		tb.Fatalf("read keys: %v", err)
	}
	refused := make(chan error, 16)
	nc, err := nats.Connect(url, nats.Token(keys.Tokens[actor]),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	if err != nil {
		tb.Fatalf("connect as %s: %v", actor, err)
	}
	tb.Cleanup(nc.Close)
	return nc, refused
}

// ForgetSnapshots deletes every stored snapshot and returns their number.
func ForgetSnapshots(tb testing.TB, s *bus.Server) uint64 {
	tb.Helper()
	nc, err := s.Stock(bus.Role{Kind: bus.Admin})
	if err != nil {
		tb.Fatalf("forget snapshots: %v", err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		tb.Fatalf("forget snapshots: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	stream, err := js.Stream(ctx, "KV_SLOP_SNAPSHOTS")
	if err != nil {
		tb.Fatalf("forget snapshots: %v", err)
	}
	had := stream.CachedInfo().State.Msgs
	if err := stream.Purge(ctx); err != nil {
		tb.Fatalf("forget snapshots: %v", err)
	}
	return had
}

// Overwrite replaces a message of a stored snapshot; nil removes it.
func Overwrite(tb testing.TB, s *bus.Server, key string, body []byte) {
	tb.Helper()
	nc, err := s.Stock(bus.Role{Kind: bus.Gateway})
	if err != nil {
		tb.Fatalf("overwrite %s: %v", key, err)
	}
	defer nc.Close()
	if _, err := nc.Request("$KV.SLOP_SNAPSHOTS."+key, body, patience); err != nil {
		tb.Fatalf("overwrite %s: %v", key, err)
	}
}

// DropPool deletes a work pool, as an operator can.
func DropPool(tb testing.TB, s *bus.Server, pool string) {
	tb.Helper()
	nc, err := s.Stock(bus.Role{Kind: bus.Admin})
	if err != nil {
		tb.Fatalf("drop pool %s: %v", pool, err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		tb.Fatalf("drop pool %s: %v", pool, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := js.DeleteConsumer(ctx, "SLOP_EV", pool); err != nil {
		tb.Fatalf("drop pool %s: %v", pool, err)
	}
}
