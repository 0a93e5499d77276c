package hookgw_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
)

// relinked is a link that a test breaks and makes anew.
type relinked struct {
	away  atomic.Bool
	full  atomic.Bool
	links atomic.Uint64
}

func (r *relinked) Reachable() error {
	if r.away.Load() {
		return errors.New("connection refused")
	}
	return nil
}

func (r *relinked) Room() error {
	if r.full.Load() {
		return events.ErrDiskFull
	}
	return nil
}

func (r *relinked) Links() uint64 { return r.links.Load() }

// behind are models that tell how far somebody waited for them.
type behind struct {
	request.Models
	late   atomic.Bool // they do not get any further
	passed atomic.Uint64
	stuck  chan context.Context // who waits though they do not get any further; nil: nobody
}

func (b *behind) WaitFor(ctx context.Context, seq uint64) error {
	if b.late.Load() && b.stuck != nil {
		b.stuck <- ctx
		<-ctx.Done()
		return ctx.Err()
	}
	if b.late.Load() {
		return context.DeadlineExceeded
	}
	b.passed.Store(seq)
	return b.Models.WaitFor(ctx, seq)
}

// silent is a log that is lost whenever it is asked for its end.
type silent struct{ events.Log }

func (silent) Last(ctx context.Context, _ events.Filter) (uint64, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func TestABusThatIsLostWhileItIsAskedHoldsNoRequestForEver(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Log, c.Limits.CatchUp = silent{c.Log}, 20*time.Millisecond })
	a := f.get("/api/session", access.RightRead)
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Contains(t, a.object(t)["error"], "the bus cannot be reached")
}

func TestNothingIsAnsweredOverANewLinkBeforeTheModelsHaveWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	link, models := &relinked{}, &behind{}
	link.links.Store(1)
	f := open(t, func(c *core.Config) { models.Models, c.Models, c.Bus = c.Models, models, link })
	f.get("/api/session", access.RightRead)
	models.passed.Store(0)
	f.push(1)
	f.get("/api/session", access.RightRead)
	reached := models.passed.Swap(0)

	link.links.Store(2)
	models.late.Store(true)
	a := f.get("/api/session", access.RightRead)
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Contains(t, a.object(t)["error"], "the bus cannot be reached")
	models.late.Store(false)
	require.Equal(t, http.StatusOK, f.get("/api/session", access.RightRead).status)
	require.GreaterOrEqual(t, models.passed.Swap(0), reached, "up to the end of the log")
	require.Equal(t, http.StatusOK, f.get("/api/session", access.RightRead).status)
	require.Zero(t, models.passed.Load(), "and once")
}

func TestNobodyWaitsForTheModelsWhoseClientHasLeft(t *testing.T) {
	t.Parallel()
	link, models := &relinked{}, &behind{stuck: make(chan context.Context)}
	link.links.Store(1)
	f := open(t, func(c *core.Config) {
		models.Models, c.Models, c.Bus, c.Limits.CatchUp = c.Models, models, link, time.Hour
	})
	f.get("/api/session", access.RightRead)
	link.links.Store(2)
	models.late.Store(true)
	ctx, leave := context.WithCancel(t.Context())
	answered := f.background(f.request(http.MethodGet, "/api/session", access.RightRead, "").WithContext(ctx))
	waits := <-models.stuck
	leave()
	<-waits.Done()
	<-answered
	require.ErrorIs(t, waits.Err(), context.Canceled)
}
