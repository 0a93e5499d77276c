package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// Lease is how long a silent but connected holder keeps its work. It is longer than a busy machine may be silent.
// The work of a disconnected holder is released at once; see [Conn.HandBack].
const Lease = 5 * time.Second

// Pool is a queue of work over the log. Each event under its filters is delivered to one puller, and redelivered
// to another if the first does not report progress within AckWait. The number of deliveries is unlimited.
type Pool struct {
	// Name is a kind, or a kind and a project; see [events.PoolName].
	Name string
	// Filters select the events. There must be at least one, and they must not overlap.
	Filters []events.Filter
	// AckWait is how long a silent holder keeps a delivery. Default [Lease].
	AckWait time.Duration

	pausedUntil *time.Time // when a new pool starts; nil means at once
}

// Pools returns the pools of a project. Quick work has its own pool, so that it
// never waits for scripts or models.
func Pools(project string) []Pool {
	of := func(kind string, filters ...events.Filter) Pool {
		for i := range filters {
			filters[i].Project = project
		}
		return Pool{Name: events.PoolName(kind, project), Filters: filters}
	}
	return []Pool{
		of(events.PoolTools,
			events.Filter{Actor: events.ActorApproval, Type: events.NameOf[events.ToolApproved]()},
			events.Filter{Actor: events.ActorConductor, Type: events.NameOf[events.WorkspaceRequested]()},
			events.Filter{Actor: events.ActorConductor, Type: events.NameOf[events.MergeRequested]()},
		),
		of(events.PoolShort,
			events.Filter{Actor: events.ActorApproval, Type: events.NameOf[events.PreviewRequested]()},
			events.Filter{Actor: events.ActorContributor, Type: events.NameOf[events.RefreshRequested]()},
			events.Filter{Actor: events.ActorPlanner, Type: events.NameOf[events.ContextRequested]()},
			events.Filter{Actor: events.ActorLead, Type: events.NameOf[events.ContextRequested]()},
			events.Filter{Actor: events.ActorContributor, Type: events.NameOf[events.ContextRequested]()},
			events.Filter{Actor: events.ActorQA, Type: events.NameOf[events.ContextRequested]()},
			// by anyone; handlers ignore requests from actors that are not people
			events.Filter{Type: events.NameOf[events.ContextInjectionRequested]()},
		),
		of(events.PoolModels,
			events.Filter{Actor: events.ActorPlanner, Type: events.NameOf[events.ModelRequested]()},
			events.Filter{Actor: events.ActorLead, Type: events.NameOf[events.ModelRequested]()},
			events.Filter{Actor: events.ActorContributor, Type: events.NameOf[events.ModelRequested]()},
			events.Filter{Actor: events.ActorQA, Type: events.NameOf[events.ModelRequested]()},
			// for requests that are guarded by a budget
			events.Filter{Actor: events.ActorApproval, Type: events.NameOf[events.ModelApproved]()},
		),
	}
}

func (p Pool) config() jetstream.ConsumerConfig {
	cfg := jetstream.ConsumerConfig{
		Name: p.Name, Durable: p.Name, DeliverPolicy: jetstream.DeliverAllPolicy, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: p.AckWait, MaxDeliver: -1, MaxAckPending: 4096, MaxWaiting: 4096, PauseUntil: p.pausedUntil,
	}
	if cfg.AckWait <= 0 {
		cfg.AckWait = Lease
	}
	for _, f := range p.Filters {
		cfg.FilterSubjects = append(cfg.FilterSubjects, f.Subject())
	}
	return cfg
}

// EnsurePool creates a pool if it is missing. An existing pool gets the given filters and times and keeps its
// position. It needs the role Admin, or Timers for the pools of its project. Only the pools of [Config] are
// protected from readers of an embedded server.
func (c *Conn) EnsurePool(ctx context.Context, p Pool) error {
	kind, project, owned := strings.Cut(p.Name, "-")
	if !events.ValidToken(kind) || owned && !events.ValidToken(project) || len(p.Filters) == 0 {
		return fmt.Errorf("%w: invalid name %q or number of filters %d", events.ErrNoPool, p.Name, len(p.Filters))
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

// restorePools resets pools that lost their position to a position before which all work is done. Work may be
// redelivered, which its handlers expect.
func (s *Server) restorePools(ctx context.Context, before *survey) error {
	now, err := s.poolEnds()
	if err != nil {
		return fmt.Errorf("positions of the pools: %w", err)
	}
	last, err := s.admin.Last(ctx, events.Filter{})
	if err != nil {
		return fmt.Errorf("positions of the pools: %w", err)
	}
	for name, was := range before.ends.Pools {
		at, found := now[name]
		floor := min(was.Floor, last)
		if !found || at.Delivered >= floor {
			continue
		}
		if err := s.admin.RewindPool(ctx, name, floor+1); err != nil {
			return err
		}
		if at.Delivered == 0 {
			before.remark("pool %s had lost its position and continues after event %d", name, floor)
		}
	}
	return nil
}

// MakePools creates the missing pools of a project, which deliver events from sequence from on. Existing pools
// keep their position. It returns the names of the created pools.
func (c *Conn) MakePools(ctx context.Context, project string, from uint64) ([]string, error) {
	var made []string
	for _, p := range Pools(project) {
		is, err := c.makePool(ctx, project, p, from)
		if err != nil {
			return made, err
		}
		if is {
			made = append(made, p.Name)
		}
	}
	return made, nil
}

// MakePool is like MakePools for the pool of one kind.
func (c *Conn) MakePool(ctx context.Context, project, kind string, from uint64) error {
	for _, p := range Pools(project) {
		if p.Name == events.PoolName(kind, project) {
			_, err := c.makePool(ctx, project, p, from)
			return err
		}
	}
	return fmt.Errorf("%w of kind %q", events.ErrNoPool, kind)
}

// makePool creates a pool unless it exists.
func (c *Conn) makePool(ctx context.Context, project string, p Pool, from uint64) (made bool, err error) {
	err = c.findPool(ctx, p.Name)
	if err == nil {
		return false, nil
	}
	if errors.Is(err, events.ErrNoPool) {
		err = c.createPool(ctx, p, from)
	}
	if errors.Is(err, events.ErrDenied) {
		err = fmt.Errorf("the pools of project %q are missing and these credentials may not create them. "+
			"Run an orchestrator of this project once with rights to %s%s.>: %w", project, apiDurable, StreamEvents, err)
	}
	if err != nil {
		return false, fmt.Errorf("pool %s: %w", p.Name, err)
	}
	return true, nil
}

// pausedFor is the maximum pause of a new pool before it reaches its position.
const pausedFor = 2 * time.Second

// createPool creates a pool that delivers nothing until it has reached its position.
func (c *Conn) createPool(ctx context.Context, p Pool, from uint64) error {
	if from <= 1 {
		return c.EnsurePool(ctx, p)
	}
	until := time.Now().Add(pausedFor)
	p.pausedUntil = &until
	if err := c.EnsurePool(ctx, p); err != nil {
		return err
	}
	if err := c.RewindPool(ctx, p.Name, from); err != nil {
		return err
	}
	var info struct{}
	return c.api(ctx, apiConsPause+StreamEvents+"."+p.Name, struct{}{}, &info)
}

// RewindPool makes a pool redeliver everything from sequence from on, whether or not it was done. Handlers check
// the log before they act.
func (c *Conn) RewindPool(ctx context.Context, pool string, from uint64) error {
	var info struct{}
	err := c.api(ctx, apiConsReset+StreamEvents+"."+pool, struct {
		Seq uint64 `json:"seq"`
	}{max(from, 1)}, &info)
	if err != nil {
		return fmt.Errorf("rewind pool %s: %w", pool, err)
	}
	return nil
}

// listPools returns every pool of the log, that is, its durable consumers. The server returns them page by page.
func (c *Conn) listPools(ctx context.Context) ([]jetstream.ConsumerInfo, error) {
	var out []jetstream.ConsumerInfo
	for offset := 0; ; {
		var page struct {
			Total     int                      `json:"total"`
			Consumers []jetstream.ConsumerInfo `json:"consumers"`
		}
		if err := c.api(ctx, apiConsList+StreamEvents, map[string]int{"offset": offset}, &page); err != nil {
			return nil, fmt.Errorf("list pools: %w", err)
		}
		for _, p := range page.Consumers {
			if p.Config.Durable != "" {
				out = append(out, p)
			}
		}
		if offset += len(page.Consumers); len(page.Consumers) == 0 || offset >= page.Total {
			return out, nil
		}
	}
}

func poolNames(pools []Pool) []string {
	var out []string
	for _, p := range pools {
		out = append(out, p.Name)
	}
	return out
}

// projectsOf returns the projects of pools, or only project if it is not empty.
func projectsOf(pools []string, project string) []string {
	if project != "" {
		return []string{project}
	}
	var out []string
	for _, name := range ofKind(pools, events.PoolTools, "") {
		out = append(out, strings.TrimPrefix(name, events.PoolTools+"-"))
	}
	return out
}

// ofKind returns the pools of a kind that a role may work on: those of its
// project, or of every project if it has none.
func ofKind(pools []string, kind, project string) []string {
	return slices.DeleteFunc(slices.Clone(pools), func(name string) bool {
		if project == "" {
			return !strings.HasPrefix(name, kind+"-")
		}
		return name != events.PoolName(kind, project)
	})
}
