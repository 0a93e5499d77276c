package bus_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
)

func TestEachRoleWritesItsOwnSubtreeAndNoOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	roles := []bus.Role{
		conductor, approval, ada, worker1, worker2, reader, {Kind: bus.Live}, {Kind: bus.Models}, {Kind: bus.Timers},
		{Kind: bus.Gateway}, {Kind: bus.Person, Name: "bob"}, {Kind: bus.Agent, Name: "agent-ci"},
	}
	payloads := map[string]events.Payload{
		"conductor": events.TicketReady{Ticket: "T"}, "approval": events.ToolApproved{Call: "c", Tool: "x"},
		"ada": events.AskAnswered{Ask: "a", Decision: events.Yes}, "bob": events.GoalSubmitted{Goal: "g"},
		"worker-test-1": events.ToolSettled{Call: "c"}, "worker-test-2": events.FilesUpdated{},
		"models": events.ModelReplied{}, "timers": events.TimerFired{}, "gateway": events.HookCalled{},
		"agent-ci": events.AskPosted{},
	}
	for _, r := range roles {
		c := b.as(t, r)
		for actor, p := range payloads {
			_, err := c.Append(b.ctx, b.Event(t, actor, p), nil)
			if actor == r.Actor() {
				require.NoError(t, err, "%s as %s", r, actor)
				continue
			}
			require.ErrorIs(t, err, events.ErrDenied, "%s as %s", r, actor)
		}
	}
}

func TestRolesAreRefusedTypesThatAreNotTheirs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct {
		role bus.Role
		p    events.Payload
	}{
		{worker1, events.ToolApproved{Call: "c"}}, {worker1, events.AskAnswered{Ask: "a"}}, {worker1, events.GoalSubmitted{}},
		{bus.Role{Kind: bus.Agent, Name: "agent-ci"}, events.AskAnswered{Ask: "a"}},
		{bus.Role{Kind: bus.Agent, Name: "agent-ci"}, events.ToolRequested{Call: "mcp-1"}},
		{bus.Role{Kind: bus.Agent, Name: events.ActorMCP}, events.AskAnswered{Ask: "a"}},
		{bus.Role{Kind: bus.Agent, Name: events.ActorMCP}, events.AskPosted{RequestID: "a"}},
		{bus.Role{Kind: bus.Agent, Name: events.ActorMCP}, events.RuleAdded{}},
	} {
		_, err := b.as(t, c.role).Append(b.ctx, b.Event(t, c.role.Actor(), c.p), nil)
		require.ErrorIs(t, err, events.ErrDenied, "%s %s", c.role, c.p.EventType().Name)
	}
}

// refused publishes with a stock client and waits for the server's remark.
func refused(t *testing.T, c *bus.Conn, subject string) {
	t.Helper()
	remark := make(chan error, 8)
	c.NATS().SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { remark <- err })
	require.NoError(t, c.NATS().Publish(subject, []byte("{}")))
	select {
	case err := <-remark:
		require.ErrorIs(t, err, nats.ErrPermissionViolation, subject)
	case <-time.After(eventstest.Patience):
		t.Fatalf("%s may publish %s", c.Role(), subject)
	}
}

func TestNobodyButAdminReachesTheServersControls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	verbs := []string{
		"$JS.API.STREAM.CREATE.X", "$JS.API.STREAM.UPDATE.SLOP_EV", "$JS.API.STREAM.DELETE.SLOP_EV",
		"$JS.API.STREAM.PURGE.SLOP_EV",
		"$JS.API.STREAM.MSG.DELETE.SLOP_EV", "$JS.API.STREAM.SNAPSHOT.SLOP_EV", "$JS.API.CONSUMER.DURABLE.CREATE.SLOP_EV.x",
		"$JS.API.CONSUMER.CREATE.SLOP_EV", "$JS.API.CONSUMER.CREATE.SLOP_EV.x",
		"$JS.API.CONSUMER.CREATE.SLOP_EV.tools-p1.slop.ev.>",
		"$JS.API.CONSUMER.DELETE.SLOP_EV.tools-p1", "$JS.API.CONSUMER.DELETE.SLOP_EV.models-p1",
		"$JS.API.CONSUMER.LIST.SLOP_EV",
		"$JS.API.CONSUMER.CREATE.OBJ_SLOP_BLOBS.x.>", "$JS.API.STREAM.DELETE.KV_SLOP_CLAIMS",
		"$JS.API.CONSUMER.PAUSE.SLOP_EV.tools-p1",
		"slop.live.p1.s1.approval.ToolApproved.x", "$SYS.REQ.SERVER.PING", "_INBOX.x",
	}
	for _, r := range []bus.Role{conductor, ada, worker1, reader, {Kind: bus.Models}, {Kind: bus.Timers},
		{Kind: bus.Gateway}, {Kind: bus.Agent, Name: "agent-ci"}} {
		c := b.as(t, r)
		for _, v := range verbs {
			if r.Kind == bus.Timers && strings.HasPrefix(v, "$JS.API.CONSUMER.PAUSE.") {
				v = "$JS.API.CONSUMER.PAUSE.SLOP_EV.x" // it pauses a pool that it makes again, and nothing else
			}
			refused(t, c, v)
		}
	}
}

func TestWorkOfAPoolIsPulledByItsWorkersOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct {
		role bus.Role
		pool string
	}{
		{worker1, "models-p1"}, {bus.Role{Kind: bus.Models}, "tools-p1"}, {bus.Role{Kind: bus.Models}, "short-p1"},
		{conductor, "tools-p1"},
		{reader, "tools-p1"}, {ada, "models-p1"}, {bus.Role{Kind: bus.Gateway}, "short-p1"}, {bus.Role{Kind: bus.Timers},
			"tools-p1"},
	} {
		refused(t, b.as(t, c.role), "$JS.API.CONSUMER.MSG.NEXT.SLOP_EV."+c.pool)
		ctx, cancel := context.WithTimeout(b.ctx, eventstest.Patience)
		err := b.as(t, c.role).Work(ctx, c.pool, 1, func(context.Context, events.Delivery) error { return nil })
		cancel()
		require.ErrorIs(t, err, events.ErrDenied, "%s pulls %s", c.role, c.pool)
	}
}

func TestLiveObserverSeesNewEventsAndDoesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	live := b.as(t, bus.Role{Kind: bus.Live})
	got := make(chan events.Event, 8)
	failed := make(chan error, 1)
	go func() { failed <- live.Follow(b.ctx, events.Filter{}, func(e events.Event) { got <- e }) }()
	c := b.as(t, conductor)
	var e events.Event
	for first := true; first || len(got) == 0; first = false { // until the subscription stands
		var err error
		e, err = b.Event(t, events.ActorConductor, events.TicketReady{Ticket: "T"}), error(nil)
		e.Seq, err = c.Append(b.ctx, e, nil)
		require.NoError(t, err)
	}
	seen := <-got
	require.Equal(t, "TicketReady", seen.Type)
	require.NotZero(t, seen.Seq)
	for _, subject := range []string{"slop.sig.p1.-.live.here", "slop.ev.p1.s1.live.X.-", "$JS.API.INFO",
		"$JS.API.STREAM.INFO.SLOP_EV", "$JS.API.DIRECT.GET.SLOP_EV"} {
		refused(t, live, subject)
	}
	require.Empty(t, failed)
	require.ErrorIs(t, b.as(t, bus.Role{Kind: bus.Live}).Signals(b.ctx, bus.Signal{}, func(bus.Signal) {}),
		events.ErrDenied)
}

func TestNobodySubscribesToAnswersOfOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, r := range []bus.Role{conductor, ada, worker1, reader, {Kind: bus.Models}} {
		c := b.as(t, r)
		for _, subject := range []string{"_INBOX.>", "_INBOX_decider_approval.>", ">", "$JS.>", "slop.ev.>"} {
			sub, err := c.NATS().SubscribeSync(subject)
			require.NoError(t, err)
			_, err = sub.NextMsg(eventstest.Patience)
			require.ErrorIs(t, err, nats.ErrPermissionViolation, "%s subscribes %s", r, subject)
		}
	}
}

func TestConnectionWithoutTokenIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *bus.Config) { c.Listen = "127.0.0.1:0" })
	for _, opts := range [][]nats.Option{{}, {nats.Token("guessed")}, {nats.UserInfo("admin", "admin")}} {
		_, err := nats.Connect(b.srv.URL(), append(opts, nats.MaxReconnects(0))...)
		require.ErrorIs(t, err, nats.ErrAuthorization)
	}
}

// A server answers to any reply subject, also to one that the asker may not
// publish. What comes into the log that way must not count.
func TestServersAnswersDoNotForgeEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w, log := b.as(t, worker1), b.as(t, conductor)
	forged := b.Event(t, events.ActorApproval, events.ToolApproved{Call: "forged", Tool: "run_powershell",
		Args: []byte(`{}`)})
	body, err := forged.MarshalJSON()
	require.NoError(t, err)
	// Stored under the worker's own name the body is malformed, and harmless.
	_, err = w.NATS().Request("slop.ev.p1.s1.worker-test-1.ToolSettled.x", body, eventstest.Patience)
	require.NoError(t, err)
	_, err = w.CreateClaim(b.ctx, "forged", body)
	require.NoError(t, err)
	b.approve(t, b.as(t, approval), 1)
	target := "slop.ev.p1.s1.approval.ToolApproved.run_powershell"
	for subject, ask := range map[string]string{
		"$JS.API.DIRECT.GET.SLOP_EV.slop.ev.*.*.worker-test-1.>":   "",
		"$JS.API.DIRECT.GET.KV_SLOP_CLAIMS.$KV.SLOP_CLAIMS.forged": "",
		"$JS.API.CONSUMER.MSG.NEXT.SLOP_EV.tools-p1":               `{"batch":1}`,
		"$JS.API.CONSUMER.INFO.SLOP_EV.tools-p1":                   "",
		"$KV.SLOP_CLAIMS.other":                                    string(body),
	} {
		require.NoError(t, w.NATS().PublishRequest(subject, target, []byte(ask)))
	}
	require.NoError(t, w.NATS().Flush())
	b.approve(t, b.as(t, approval), 1)
	list, err := read(t, b.ctx, log, events.Filter{Actor: events.ActorApproval})
	require.NoError(t, err)
	for i := range list {
		events.Catalogue().Decode(&list[i])
		if p, ok := list[i].Payload.(events.ToolApproved); ok {
			require.NotEqual(t, "forged", p.Call, "event %d", list[i].Seq)
		}
	}
}

// A consumer may be told to deliver anywhere, and hands a message to whatever
// reply subject is named. The log must not take that for a new author's word.
func TestConsumersDoNotForgeEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, ada)
	js, err := jetstream.New(c.NATS())
	require.NoError(t, err)
	forged := b.Event(t, events.ActorApproval, events.ToolApproved{Call: "forged"})
	body, err := forged.MarshalJSON()
	require.NoError(t, err)
	_, err = c.NATS().Request("slop.ev.p1.s1.ada.GoalSubmitted.-", body, eventstest.Patience)
	require.NoError(t, err)
	for i, deliver := range []string{forged.Subject(), "$JS.API.STREAM.PURGE.SLOP_EV", "$JS.API.STREAM.DELETE.SLOP_EV"} {
		_, err := js.CreatePushConsumer(b.ctx, "SLOP_EV", jetstream.ConsumerConfig{Name: fmt.Sprintf("push%d", i),
			DeliverSubject: deliver, FilterSubject: "slop.ev.p1.s1.ada.>", MemoryStorage: true})
		var refusal *jetstream.APIError
		if err != nil {
			require.ErrorAs(t, err, &refusal, deliver)
		}
	}
	_, err = js.CreateConsumer(b.ctx, "SLOP_EV", jetstream.ConsumerConfig{Name: "pull",
		FilterSubject: "slop.ev.p1.s1.ada.>", MemoryStorage: true, AckPolicy: jetstream.AckNonePolicy})
	require.NoError(t, err)
	require.NoError(t, c.NATS().PublishRequest("$JS.API.CONSUMER.MSG.NEXT.SLOP_EV.pull", forged.Subject(),
		[]byte(`{"batch":1}`)))
	require.NoError(t, c.NATS().Flush())
	b.approve(t, b.as(t, approval), 1)
	list, err := read(t, b.ctx, c, events.Filter{Actor: events.ActorApproval})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.NotEqual(t, forged.ID, list[0].ID)
}

func TestNobodyStoresTheStateOfAnotherRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own := map[string]string{
		"conductor": "states.p1.s1.conductor", "approval": "states.p1.-ledger.approval", "models": "states.p1.s1.models",
		"timers": "states.p1.s1.timers", "gateway": "folds.p1.s1",
	}
	for _, r := range []bus.Role{conductor, approval, {Kind: bus.Models}, {Kind: bus.Timers}, {Kind: bus.Gateway}, ada,
		worker1, reader} {
		c := b.as(t, r)
		for actor, key := range own {
			err := c.PutSnapshot(b.ctx, key, map[string]int{"n": 1})
			if actor == r.Actor() {
				require.NoError(t, err, "%s at %s", r, key)
				var back map[string]int
				require.NoError(t, c.Snapshot(b.ctx, key, &back))
				continue
			}
			require.ErrorIs(t, err, events.ErrDenied, "%s at %s", r, key)
		}
	}
}

// TestWorkerOfOneProjectReachesNoOtherProjectsWork tries every subject by which
// work is pulled, acknowledged, handed back or taken away.
func TestWorkerOfOneProjectReachesNoOtherProjectsWork(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *bus.Config) { c.Pools = append(bus.Pools("p1"), bus.Pools("p2")...) })
	roles := map[string]bus.Role{
		"worker": {Kind: bus.Worker, Name: "worker-test-1", Project: "p1"},
		"models": {Kind: bus.Models, Project: "p1"},
		"timers": {Kind: bus.Timers, Project: "p1"},
		"reader": reader,
		"person": ada,
	}
	for name, role := range roles {
		c := b.as(t, role)
		for _, kind := range []string{events.PoolTools, events.PoolShort, events.PoolModels} {
			pool := "SLOP_EV." + events.PoolName(kind, "p2")
			for _, subject := range []string{
				"$JS.API.CONSUMER.MSG.NEXT." + pool, "$JS.API.CONSUMER.DELETE." + pool, "$JS.API.CONSUMER.RESET." + pool,
				"$JS.API.CONSUMER.DURABLE.CREATE." + pool, "$JS.API.CONSUMER.CREATE." + pool,
				"$JS.API.CONSUMER.CREATE." + pool + ".slop.ev.p1.*.conductor.TicketKilled.>",
				"$JS.ACK." + pool + ".1.1.1.1.0", "$JS.ACK.x.y." + pool + ".1.1.1.1.0",
			} {
				refused(t, c, subject)
			}
			if name == "worker" {
				require.ErrorIs(t, b.as(t, role).Work(b.ctx, events.PoolName(kind, "p2"), 1, nil), events.ErrDenied)
			}
		}
	}
	other := b.as(t, bus.Role{Kind: bus.Worker, Name: "worker-test-2", Project: "p2"})
	got := make(chan events.Delivery, 8)
	go func() {
		_ = other.Work(b.ctx, events.PoolName(events.PoolTools, "p2"), 1, func(_ context.Context, d events.Delivery) error {
			got <- d
			return nil
		})
	}()
	log := b.as(t, approval)
	b.approve(t, log, 1)
	b.Project = "p2"
	second := b.approve(t, log, 1)[0]
	require.Equal(t, second.ID, (<-got).Event.ID, "each project's pools hold its own work")
}
