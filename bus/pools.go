package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// Names of the pools that [Pools] describes.
const (
	PoolTools  = "tools"
	PoolModels = "models"
)

// Pool is a queue of work over the log: each event under its filters is handed
// to one of those who pull from it, and again to another one if nobody shows
// within AckWait that it is still at work.
type Pool struct {
	// Name is a subject token.
	Name string
	// Filters select the events; at least one. They may not overlap.
	Filters []events.Filter
	// AckWait is how long a silent holder keeps a delivery. Default 400 ms.
	AckWait time.Duration
	// MaxDeliver bounds the deliveries of one event. Default 25; a handler
	// gives up earlier, at 20, and records that.
	MaxDeliver int
}

// Pools are the pools of every installation: tool calls and what else needs the
// project's files, and model calls.
func Pools() []Pool {
	return []Pool{
		{Name: PoolTools, AckWait: 400 * time.Millisecond, MaxDeliver: 25, Filters: []events.Filter{
			{Actor: events.ActorApproval, Type: "ToolApproved"},
			{Actor: events.ActorApproval, Type: "PreviewRequested"},
			{Actor: events.ActorContributor, Type: "RefreshRequested"},
			{Actor: events.ActorPlanner, Type: "ContextRequested"},
			{Actor: events.ActorLead, Type: "ContextRequested"},
			{Actor: events.ActorContributor, Type: "ContextRequested"},
			{Actor: events.ActorConductor, Type: "WorkspaceRequested"},
			{Actor: events.ActorConductor, Type: "MergeRequested"},
			{Actor: events.ActorQA, Type: "ContextRequested"},
			{Type: "ContextInjectionRequested"}, // of any person; from others it does not count
		}},
		{Name: PoolModels, AckWait: 2 * time.Second, MaxDeliver: 25, Filters: []events.Filter{
			{Actor: events.ActorPlanner, Type: "ModelRequested"},
			{Actor: events.ActorLead, Type: "ModelRequested"},
			{Actor: events.ActorContributor, Type: "ModelRequested"},
			{Actor: events.ActorQA, Type: "ModelRequested"},
			{Actor: events.ActorApproval, Type: "ModelApproved"}, // of a request that its budget guards
		}},
	}
}

func (p Pool) config() jetstream.ConsumerConfig {
	cfg := jetstream.ConsumerConfig{
		Name: p.Name, Durable: p.Name, DeliverPolicy: jetstream.DeliverAllPolicy, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: p.AckWait, MaxDeliver: p.MaxDeliver, MaxAckPending: 4096, MaxWaiting: 4096,
	}
	if cfg.AckWait <= 0 {
		cfg.AckWait = 400 * time.Millisecond
	}
	if cfg.MaxDeliver <= 0 {
		cfg.MaxDeliver = 25
	}
	for _, f := range p.Filters {
		cfg.FilterSubjects = append(cfg.FilterSubjects, f.Subject())
	}
	return cfg
}

// EnsurePool creates a pool if it is missing; one that is there is set to the
// given filters and times and keeps its position. It needs the role Admin. Only
// the pools of [Config] are shut to readers of an embedded server.
func (c *Conn) EnsurePool(ctx context.Context, p Pool) error {
	if !events.ValidToken(p.Name) || len(p.Filters) == 0 {
		return fmt.Errorf("%w: %q with %d filters", ErrNoPool, p.Name, len(p.Filters))
	}
	var info struct{}
	err := c.api(ctx, apiDurable+StreamEvents+"."+p.Name, struct {
		Stream string                   `json:"stream_name"`
		Config jetstream.ConsumerConfig `json:"config"`
	}{StreamEvents, p.config()}, &info)
	if err != nil {
		return fmt.Errorf("pool %s: %w", p.Name, err)
	}
	return nil
}

func poolNames(pools []Pool) []string {
	var out []string
	for _, p := range pools {
		out = append(out, p.Name)
	}
	return out
}
