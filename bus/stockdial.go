package bus

import (
	"fmt"

	"github.com/nats-io/nats.go"
)

// DialStock is a connection of the plain NATS client with the credentials and
// rights that [Dial] would use: the reference for measurements.
func DialStock(cfg DialConfig) (*nats.Conn, error) {
	url, opts, err := cfg.credentials()
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	nc, err := nats.Connect(url, append(opts, nats.CustomInboxPrefix(cfg.Role.inbox()))...)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", mapConn(err))
	}
	return nc, nil
}
