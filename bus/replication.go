package bus

import (
	"context"
	"fmt"
	"time"
)

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
