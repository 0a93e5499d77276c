package hookgw_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

func TestWritesAsksAndRefusalsAreOnRecordAndPlainReadsAreNot(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	f.get("/status", access.RightNone)
	f.get("/api/session", access.RightRead)
	f.get("/api/events", access.RightHuman) // empty: it takes nothing
	f.post("/api/session?client=me", access.RightHuman, `{"session":{"entries":[]}}`)
	waiting := f.ask(`{"request_id":"r1"}`)
	f.awaitAsk("r1")
	f.respond("r1", "true")
	<-waiting
	f.get("/api/session", access.RightAsk)
	f.get("/api/events", access.RightHuman)
	f.stop()
	got := map[string]events.HookCalled{}
	for _, h := range recorded[events.HookCalled](f) {
		got[h.Method+" "+h.Path] = h
	}
	require.Len(t, got, 5)
	require.Equal(t, events.HookCalled{Method: "POST", Path: "/api/session", Status: 200, Client: "human:me",
		Body: []byte(`{"session":{"entries":[]}}`)}, got["POST /api/session"])
	require.Equal(t, events.HookCalled{Method: "POST", Path: "/api/ask", Status: 200, Client: "ask",
		Body: []byte(`{"request_id":"r1"}`)}, got["POST /api/ask"])
	require.Equal(t, 200, got["POST /api/ask/respond"].Status)
	require.Equal(t, events.HookCalled{Method: "GET", Path: "/api/session", Status: 403, Client: "ask",
		Reason: "this token does not allow the request"}, got["GET /api/session"])
	require.Equal(t, 200, got["GET /api/events"].Status)
}

func TestSecretsAreMaskedBeforeTheyReachTheLog(t *testing.T) {
	t.Parallel()
	const secret = "sk-very-secret"
	f := open(t, func(c *core.Config) {
		c.Masker = func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(secret), []byte("***")) }
	})
	f.approve()
	f.post("/api/session", access.RightHuman, `{"session":{"entries":["`+secret+`"]}}`)
	waiting := f.ask(`{"request_id":"r1","x":"` + secret + `"}`)
	f.awaitAsk("r1")
	f.raise("g1", events.GateTool)
	require.Equal(t, http.StatusUnprocessableEntity, f.respond("r1", `"`+secret+`"`).status,
		"masked it would not be the answer")
	require.Equal(t, http.StatusUnprocessableEntity, f.respond("g1", `{"approved":true,"args":{"path":"`+secret+
		`"}}`).status)
	require.Empty(t, recorded[events.AskAnswered](f))
	f.respond("r1", "true")
	<-waiting
	f.get("/api/session", access.RightNone)
	f.stop()
	for e, err := range f.log.Read(t.Context(), events.Filter{}, 1, 0) {
		require.NoError(t, err)
		require.NotContains(t, string(e.Data), secret, e.Type)
	}
}

func TestWhatAMaskBreaksIsNotRecorded(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Masker = func([]byte) []byte { return []byte("{") } })
	f.says("/api/session", `{"session":{"entries":["x"]}}`, http.StatusUnprocessableEntity)
	f.stop()
	require.Empty(t, recorded[events.DiscussionChanged](f))
	require.Contains(t, string(recorded[events.HookCalled](f)[0].Body), "hidden")
}

func TestTokensNeverReachTheLogOrTheRecord(t *testing.T) {
	t.Parallel()
	f := open(t)
	human := f.token(access.RightHuman)
	f.send(f.request(http.MethodPost, "/api/session?token="+human, access.RightHuman, `{"session":{"entries":[]}}`))
	f.get("/api/nowhere?token="+human, access.RightHuman)
	f.stop()
	require.NotContains(t, f.logged.String(), human)
	for e, err := range f.log.Read(t.Context(), events.Filter{}, 1, 0) {
		require.NoError(t, err)
		require.NotContains(t, string(e.Data), human, e.Type)
	}
}

func TestALargeBodyIsRecordedByItsHead(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.post("/api/session", access.RightHuman, sessionOf(4<<10))
	f.post("/api/session", access.RightHuman, sessionOf(4<<10+1))
	f.send(f.request(http.MethodGet, "/"+strings.Repeat("x", 300), access.RightNone, ""))
	f.stop()
	got := recorded[events.HookCalled](f)
	require.Len(t, got, 3)
	require.Len(t, got[0].Body, 4<<10)
	require.Contains(t, string(got[1].Body), `"bytes":4097`)
	require.Len(t, got[2].Path, 256)
}

func TestEveryErrorSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, a := range []answer{
		f.get("/nowhere", access.RightNone), f.get("/api/session", access.RightNone), f.get("/api/session", access.RightAsk),
		f.get("/api/ask", access.RightHuman), f.post("/api/session", access.RightHuman, `[]`), f.respond("x", "true"),
		f.get("/api/stream?session=x", access.RightRead), f.get("/api/events?since=x", access.RightHuman),
	} {
		body := a.object(t)
		require.NotEmpty(t, body["error"])
		require.NotEmpty(t, body["hint"])
		require.Equal(t, "application/json", a.header.Get("Content-Type"))
	}
}

func TestASecretInAPathANameOrAnErrorIsNotPutOnRecord(t *testing.T) {
	t.Parallel()
	const secret = "sk-very-secret"
	f := open(t, func(c *core.Config) {
		c.Masker = func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(secret), []byte("***")) }
		c.Blobs = brokenBlobs{"no " + secret}
	})
	f.get("/api/asks/"+secret+"?client="+secret, access.RightRead)
	f.get("/api/"+strings.Repeat("x", 250)+secret, access.RightRead)
	f.get("/api/gui/value/"+secret+"?client="+strings.Repeat("x", 55)+secret, access.RightNone)
	f.get("/api/blobs/"+strings.Repeat("0", 64), access.RightRead)
	f.stop()
	require.Len(t, recorded[events.HookCalled](f), 4)
	for _, h := range recorded[events.HookCalled](f) {
		require.NotContains(t, h.Path+h.Client+h.Reason, secret[:8])
	}
	require.Contains(t, f.logged.String(), "no ***")
	require.NotContains(t, f.logged.String(), secret)
}

// brokenBlobs is a store that fails with a text.
type brokenBlobs struct{ why string }

// Put fails.
func (b brokenBlobs) Put(context.Context, []byte, string) (events.BlobRef, error) {
	return events.BlobRef{}, errors.New(b.why)
}

// Get fails.
func (b brokenBlobs) Get(context.Context, string) ([]byte, error) { return nil, errors.New(b.why) }
