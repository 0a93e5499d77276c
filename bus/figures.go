package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"manualslop/events"
)

// Figures are how full the log is and how much work waits on it.
type Figures struct {
	Messages, Bytes   uint64
	Budget            int64 // of the stream in bytes; what goes beyond is refused
	FirstSeq, LastSeq uint64
	Consumers         int
	Pools             []PoolFigures // those of the project that exist, by kind
}

// PoolFigures are those of one pool.
type PoolFigures struct {
	Name        string // its kind
	Waiting     uint64 // events that nobody has taken yet
	Running     int    // taken and not done
	Redelivered int    // of those, taken more than once
}

// Figures asks the server about the log and a project's pools, in four requests.
// It needs the rights to read the log. Errors: events.ErrDenied, events.ErrClosed,
// ErrUnavailable.
func (c *Conn) Figures(ctx context.Context, project string) (Figures, error) {
	info, err := c.stream(ctx, StreamEvents)
	if err != nil {
		return Figures{}, fmt.Errorf("figures of the log: %w", err)
	}
	out := Figures{
		Messages: info.State.Msgs, Bytes: info.State.Bytes, Budget: info.Config.MaxBytes,
		FirstSeq: info.State.FirstSeq, LastSeq: info.State.LastSeq, Consumers: info.State.Consumers,
	}
	for _, kind := range []string{events.PoolModels, events.PoolShort, events.PoolTools} {
		var state struct {
			Waiting     uint64 `json:"num_pending"`
			Running     int    `json:"num_ack_pending"`
			Redelivered int    `json:"num_redelivered"`
		}
		err := c.api(ctx, apiConsInfo+StreamEvents+"."+events.PoolName(kind, project), nil, &state)
		if errors.Is(err, ErrNoPool) {
			continue
		}
		if err != nil {
			return Figures{}, fmt.Errorf("figures of pool %s: %w", kind, err)
		}
		out.Pools = append(out.Pools, PoolFigures{kind, state.Waiting, state.Running, state.Redelivered})
	}
	return out, nil
}

// Replication is how a cluster keeps one stream.
type Replication struct {
	Stream string
	// Leader is the server that takes appends; empty while none is elected.
	Leader string
	// Followers are the other servers; none where the stream has one copy.
	Followers []Follower
}

// Follower is a server that keeps a copy of a stream.
type Follower struct {
	Name string `json:"name"`
	// Current tells that the copy is complete.
	Current bool `json:"current"`
	// Offline tells that the cluster does not reach the server.
	Offline bool `json:"offline"`
	// Seen is how long ago the leader heard of it.
	Seen time.Duration `json:"active"`
	// Lag is how many operations the copy is behind.
	Lag uint64 `json:"lag"`
}

// Replication asks how the log is kept. A role that may not read the log gets
// events.ErrDenied.
func (c *Conn) Replication(ctx context.Context) (Replication, error) {
	var info struct {
		Cluster *struct {
			Leader   string     `json:"leader"`
			Replicas []Follower `json:"replicas"`
		} `json:"cluster"`
	}
	if err := c.api(ctx, apiStreamInfo+StreamEvents, nil, &info); err != nil {
		return Replication{}, fmt.Errorf("replication of %s: %w", StreamEvents, err)
	}
	out := Replication{Stream: StreamEvents}
	if info.Cluster != nil {
		out.Leader, out.Followers = info.Cluster.Leader, info.Cluster.Replicas
	}
	return out, nil
}
