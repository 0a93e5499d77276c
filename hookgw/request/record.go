package request

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"manualslop/events"
)

// Limits of the parts of a request that HookCalled keeps.
const (
	maxRecordedPath   = 256
	maxRecordedBody   = 4 << 10
	maxRecordedClient = events.MaxToken
)

// record records a request in the log: every request that published something, and as many asks and rejected requests
// as the rate allows, so that a flood cannot fill the disk.
func (g *Core) record(c *Call) {
	if !c.onRecord() {
		return
	}
	reason := c.reason
	if away := g.Reachable(); away != nil { // the next request on this connection must not wait for it
		g.Logger.InfoContext(c.Request.Context(), "request not recorded", slog.Int("status", c.Status),
			slog.Any("error", away))
		return
	}
	if !c.Wrote {
		ok, skipped := g.refusals.take(g.Clock())
		if !ok {
			return
		}
		if skipped > 0 {
			reason += " (" + strconv.Itoa(skipped) + " more before it were not recorded)"
		}
	}
	session := g.Models.Current()
	if session == "" {
		g.Logger.InfoContext(c.Request.Context(), "request without a session", slog.Int("status", c.Status),
			slog.String("reason", reason))
		return
	}
	body := c.noted
	if body == nil {
		body = g.RecordedBody(c.Body)
	}
	e, err := g.Event(g.Own, session, events.HookCalled{
		Method: Clip(c.Request.Method, 16), Path: Clip(g.maskText(c.Request.URL.Path), maxRecordedPath), Body: body,
		Status: c.Status,
		Client: c.Client(), Reason: g.maskText(reason),
	})
	if err == nil {
		_, err = g.Append(c.Request.Context(), g.Own, e, nil)
	}
	if err != nil {
		g.Logger.ErrorContext(c.Request.Context(), "request not recorded", slog.Any("error", err))
	}
}

// onRecord reports whether the request leaves a trace; plain reads and signals do not.
func (c *Call) onRecord() bool {
	if c.Wrote || c.Status >= http.StatusBadRequest {
		return true
	}
	return c.Request.Method != http.MethodGet && (c.route == nil || !c.route.Signal)
}

// Client returns the sender of the request: the right of its token and the name that it gave itself.
func (c *Call) Client() string {
	name := string(c.Right)
	if given := c.Query().Get("client"); given != "" {
		name += ":" + given
	}
	return Clip(c.Core.maskText(name), maxRecordedClient)
}

// RecordedBody returns the masked body, or its beginning if the body is large.
func (g *Core) RecordedBody(body json.RawMessage) json.RawMessage {
	if len(body) == 0 {
		return nil
	}
	masked := g.Mask(body)
	if len(masked) <= maxRecordedBody {
		return masked
	}
	head, err := json.Marshal(map[string]any{"bytes": len(body), "head": Clip(string(masked), maxRecordedBody)})
	if err != nil {
		return nil
	}
	return head
}

// Clip shortens s to at most n bytes of valid UTF-8.
func Clip(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "�")
}

// refusals is a token bucket: a burst, and a rate per second.
type refusals struct {
	mu        sync.Mutex
	perSecond float64
	burst     float64
	left      float64
	last      time.Time
	skipped   int
}

func newRefusals(l Limits) *refusals {
	return &refusals{perSecond: float64(l.Refusals), burst: float64(l.RefusalBurst), left: float64(l.RefusalBurst)}
}

// take reports whether another rejection may be recorded, and how many were skipped since the last recorded one.
func (b *refusals) take(now time.Time) (ok bool, skipped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.last.IsZero() {
		b.left = min(b.burst, b.left+max(0, now.Sub(b.last).Seconds())*b.perSecond)
	}
	b.last = now
	if b.left < 1 {
		b.skipped++
		return false, 0
	}
	b.left--
	skipped, b.skipped = b.skipped, 0
	return true, skipped
}
