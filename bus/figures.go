package bus

import (
	"context"
	"fmt"
	"slices"
)

// Figures are how full the log is and how much work waits on it.
type Figures struct {
	Messages, Bytes   uint64
	Budget            int64 // of the stream in bytes; what goes beyond is refused
	FirstSeq, LastSeq uint64
	Consumers         int
	Pools             []PoolFigures // by name
}

// PoolFigures are those of one pool.
type PoolFigures struct {
	Name        string
	Waiting     uint64 // events that nobody has taken yet
	Running     int    // taken and not done
	Redelivered int    // of those, taken more than once
}

// Figures asks the server; three requests of about 0.1 ms each. It needs the
// rights to read the log. Errors: events.ErrDenied, events.ErrClosed, ErrUnavailable.
func (c *Conn) Figures(ctx context.Context) (Figures, error) {
	info, err := c.stream(ctx, StreamEvents)
	if err != nil {
		return Figures{}, fmt.Errorf("figures of the log: %w", err)
	}
	out := Figures{
		Messages: info.State.Msgs, Bytes: info.State.Bytes, Budget: info.Config.MaxBytes,
		FirstSeq: info.State.FirstSeq, LastSeq: info.State.LastSeq, Consumers: info.State.Consumers,
	}
	for _, pool := range slices.Sorted(slices.Values(poolNames(Pools()))) {
		var state struct {
			Waiting     uint64 `json:"num_pending"`
			Running     int    `json:"num_ack_pending"`
			Redelivered int    `json:"num_redelivered"`
		}
		if err := c.api(ctx, apiConsInfo+StreamEvents+"."+pool, nil, &state); err != nil {
			return Figures{}, fmt.Errorf("figures of pool %s: %w", pool, err)
		}
		out.Pools = append(out.Pools, PoolFigures{pool, state.Waiting, state.Running, state.Redelivered})
	}
	return out, nil
}
