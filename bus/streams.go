package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// StreamEvents is the stream that holds all facts.
const StreamEvents = "SLOP_EV"

// Names of the streams below the object store and the buckets.
const (
	streamBlobs     = "OBJ_SLOP_BLOBS"
	streamSnapshots = "KV_SLOP_SNAPSHOTS"
	streamClaims    = "KV_SLOP_CLAIMS"
)

// headerRoom is the space that a stored event may need in addition to its body.
const headerRoom = 4 << 10

// maxConsumers limits the readers and pools of a cluster. It is explicit, because the server's default also
// counts every ordered consumer.
const maxConsumers = 500

// streamConfigs returns the configurations of all streams for a disk budget in bytes and a number of replicas. A
// full stream rejects new messages instead of dropping old ones, and events and blobs cannot be deleted. A claim
// is purged when its outcome is in the log. The oldest snapshots are dropped to make room for a new one.
func streamConfigs(budget int64, replicas int) []jetstream.StreamConfig {
	base := jetstream.StreamConfig{
		Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		Replicas: replicas, AllowDirect: true, DenyDelete: true, DenyPurge: true, MaxConsumers: maxConsumers,
		Compression: jetstream.S2Compression, Metadata: map[string]string{"slop": "1"},
	}
	facts, blobs, snapshots, claims := base, base, base, base

	facts.Name, facts.Subjects = StreamEvents, []string{events.RootEvents + ".>"}
	facts.MaxBytes = budget / 2
	facts.MaxMsgSize = events.MaxEventBytes + headerRoom
	facts.Duplicates = idWindow
	facts.RePublish = &jetstream.RePublish{Source: events.RootEvents + ".>", Destination: events.RootLive + ".>"}

	blobs.Name, blobs.Subjects = streamBlobs, []string{subjectBlobs + "C.>", subjectBlobs + "M.>"}
	blobs.MaxBytes = budget / 16 * 7
	blobs.MaxMsgSize = blobChunk + headerRoom

	claims.Name, claims.Subjects = streamClaims, []string{subjectClaims + ">"}
	claims.MaxBytes = budget / 32
	claims.MaxMsgSize = MaxClaim + headerRoom
	claims.MaxMsgsPerSubject = 4
	claims.DenyPurge = false

	snapshots.Name, snapshots.Subjects = streamSnapshots, []string{subjectSnaps + ">"}
	snapshots.MaxBytes = budget / 32
	snapshots.MaxMsgSize = int32(min(maxSnapshotBytes+headerRoom, snapshots.MaxBytes/4)) // one never evicts all others
	snapshots.MaxMsgsPerSubject = 1
	snapshots.Discard = jetstream.DiscardOld // they can be recomputed
	snapshots.DenyPurge, snapshots.AllowRollup = false, true

	return []jetstream.StreamConfig{facts, blobs, claims, snapshots}
}

// Provision configures the streams of an existing cluster.
type Provision struct {
	// Replicas of each stream, 1 to 5. Default 1.
	Replicas int
	// MaxBytes is the disk budget of all streams together. Default 10 GiB.
	MaxBytes int64
}

// MismatchError lists how the configuration of a stream differs from the required one.
type MismatchError struct {
	Stream string
	// Differences are of the form "setting: is X, must be Y".
	Differences []string
}

// Error lists the differences.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("%v: %s: %s", ErrMismatch, e.Stream, strings.Join(e.Differences, "; "))
}

// Is makes the error match ErrMismatch.
func (e *MismatchError) Is(target error) bool { return target == ErrMismatch }

// Provision creates missing streams and checks existing ones. A difference is a [MismatchError], and nothing is
// changed. Sizes are up to the cluster and are not compared. It needs the role Admin, or the same rights on a
// cluster.
func (c *Conn) Provision(ctx context.Context, p Provision) error {
	if p.MaxBytes <= 0 {
		p.MaxBytes = defaultBudget
	}
	for _, want := range streamConfigs(p.MaxBytes, max(p.Replicas, 1)) {
		if err := c.ensureStream(ctx, want); err != nil {
			return err
		}
	}
	return nil
}

// streamInfo is the server's description of a stream.
type streamInfo struct {
	Created time.Time              `json:"created"`
	Config  jetstream.StreamConfig `json:"config"`
	State   jetstream.StreamState  `json:"state"`
}

// stream returns the description of a stream. It returns ErrUnavailable if there is none.
func (c *Conn) stream(ctx context.Context, name string) (streamInfo, error) {
	var info streamInfo
	err := c.api(ctx, apiStreamInfo+name, nil, &info)
	return info, err
}

// ensureStream checks a stream, or creates it if it is missing.
func (c *Conn) ensureStream(ctx context.Context, want jetstream.StreamConfig) error {
	info, err := c.stream(ctx, want.Name)
	if errors.Is(err, errNoStream) {
		err = c.api(ctx, apiStreamCreate+want.Name, want, &info)
	}
	if err != nil {
		return fmt.Errorf("stream %s: %w", want.Name, err)
	}
	if diff := differences(info.Config, want); len(diff) > 0 {
		return &MismatchError{want.Name, diff}
	}
	return nil
}

// differences compares every setting that our guarantees depend on.
func differences(is, must jetstream.StreamConfig) []string {
	var out []string
	check := func(name string, a, b any) {
		if sa, sb := fmt.Sprint(a), fmt.Sprint(b); sa != sb {
			out = append(out, fmt.Sprintf("%s: is %s, must be %s", name, sa, sb))
		}
	}
	check("subjects", is.Subjects, must.Subjects)
	check("storage", is.Storage, must.Storage)
	check("retention", is.Retention, must.Retention)
	check("discard", is.Discard, must.Discard)
	check("replicas", is.Replicas, must.Replicas)
	check("max_age", is.MaxAge, must.MaxAge)
	check("max_msgs", max(is.MaxMsgs, 0), max(must.MaxMsgs, 0))
	check("max_msgs_per_subject", max(is.MaxMsgsPerSubject, 0), max(must.MaxMsgsPerSubject, 0))
	check("max_msg_size", is.MaxMsgSize, must.MaxMsgSize)
	check("max_consumers", is.MaxConsumers, must.MaxConsumers)
	check("deny_delete", is.DenyDelete, must.DenyDelete)
	check("deny_purge", is.DenyPurge, must.DenyPurge)
	check("allow_rollup", is.AllowRollup, must.AllowRollup)
	check("allow_direct", is.AllowDirect, must.AllowDirect)
	check("no_ack", is.NoAck, must.NoAck)
	check("sealed", is.Sealed, must.Sealed)
	check("republish", republishText(is.RePublish), republishText(must.RePublish))
	check("mirror", is.Mirror != nil, false)
	check("sources", len(is.Sources), 0)
	if must.Duplicates > 0 {
		check("duplicate_window", is.Duplicates, must.Duplicates)
	}
	check("persist_mode", is.PersistMode, must.PersistMode)
	return out
}

func republishText(r *jetstream.RePublish) string {
	if r == nil {
		return "none"
	}
	return fmt.Sprintf("%s to %s, headers only %t", r.Source, r.Destination, r.HeadersOnly)
}

// Figures describes how full the log is and how much work is waiting.
type Figures struct {
	Messages, Bytes   uint64
	Budget            int64 // of the stream in bytes; appends beyond it are rejected
	FirstSeq, LastSeq uint64
	Consumers         int
	Pools             []PoolFigures // existing pools of the project, by kind
}

// PoolFigures describes one pool.
type PoolFigures struct {
	Name        string // its kind
	Waiting     uint64 // events that were not taken yet
	Running     int    // events that were taken and are not done
	Redelivered int    // of those, events that were taken more than once
}

// Figures returns the state of the log and of a project's pools, with four requests to the server. It needs the
// right to read the log. It returns events.ErrDenied, events.ErrClosed or ErrUnavailable.
func (c *Conn) Figures(ctx context.Context, project string) (Figures, error) {
	info, err := c.stream(ctx, StreamEvents)
	if err != nil {
		return Figures{}, fmt.Errorf("statistics of the log: %w", err)
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
		if errors.Is(err, events.ErrNoPool) {
			continue
		}
		if err != nil {
			return Figures{}, fmt.Errorf("statistics of pool %s: %w", kind, err)
		}
		out.Pools = append(out.Pools, PoolFigures{kind, state.Waiting, state.Running, state.Redelivered})
	}
	return out, nil
}

// Replication describes how a cluster replicates one stream.
type Replication struct {
	Stream string
	// Leader is the server that accepts appends. It is empty while none is elected.
	Leader string
	// Followers are the other servers; none if the stream has one copy.
	Followers []Follower
}

// Follower is a server with a copy of a stream.
type Follower struct {
	Name string `json:"name"`
	// Current reports whether the copy is complete.
	Current bool `json:"current"`
	// Offline reports whether the cluster cannot reach the server.
	Offline bool `json:"offline"`
	// Seen is how long ago the leader last heard from it.
	Seen time.Duration `json:"active"`
	// Lag is how many operations the copy is behind.
	Lag uint64 `json:"lag"`
}

// Replication returns how the log is replicated. A role that may not read the log gets events.ErrDenied.
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
