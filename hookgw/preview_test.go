package hookgw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/aggregation"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/wire"
	"manualslop/tiers/basis"
)

// aggregating is a crew whose gateway makes contexts of the log, for files that a worker of this crew would show.
func aggregating(t *testing.T, replies ...string) *fixture {
	return aggregatingIn(t, &folder{files: map[string]string{}}, replies...)
}

func aggregatingIn(t *testing.T, files *folder, replies ...string) *fixture {
	t.Helper()
	blobs := eventstest.NewMemory()
	for _, text := range basis.Bytes() {
		_, err := blobs.Put(t.Context(), text, "text/plain")
		require.NoError(t, err)
	}
	var past func(ctx context.Context, session string) iter.Seq2[events.Event, error]
	f := crewIn(openEmpty(t, withFolder(files), func(c *core.Config) {
		past = func(ctx context.Context, session string) iter.Seq2[events.Event, error] {
			return aggregation.Decoded(c.Log.Read(ctx, events.Filter{Project: project, Session: session}, 1, 0))
		}
		c.Aggregate = func(ctx context.Context, session string, want wire.ContextWanted) (wire.ContextPreview, error) {
			return aggregation.Make(ctx, aggregation.Source{Past: past(ctx, session), Blobs: blobs, Person: person,
				Views: func(_ context.Context, _ events.Blobs, asked events.Event) (events.Payload, error) {
					return events.ContextBuilt{Request: asked.ID}, nil
				}}, want)
		}
	}), nil, replies...)
	f.put(person, events.DecisionsUpgraded{Basis: basis.Of("test")})
	return f
}

func (f *fixture) preview(query string) wire.ContextPreview {
	f.t.Helper()
	a := f.get("/api/context/preview?"+query, access.RightHuman)
	require.Equal(f.t, http.StatusOK, a.status, string(a.body))
	var out wire.ContextPreview
	require.NoError(f.t, json.Unmarshal(a.body, &out))
	return out
}

func TestThePreviewOfATurnIsWhatIsThenSent(t *testing.T) {
	t.Parallel()
	f := aggregating(t, "It is a parser.", "Two.")
	for _, text := range []string{"What is it?", "How many\nfiles?"} {
		shown := f.preview("text=" + url.QueryEscape(text))
		turn := f.human("/api/v1/generate", `{"discussion":"","prompt":`+string(quoted(t, text))+`}`).object(t)
		require.Equal(t, "done", turn["outcome"], turn)
		asked := recorded[events.ModelRequested](f)
		sent := f.preview("ticket=" + asked[len(asked)-1].Ticket)
		require.Equal(t, sent.Markdown, shown.Markdown, "no files were read, so no code of a fence differs")
		require.Equal(t, sent.SHA256, shown.SHA256)
		require.Equal(t, sent.Parts, shown.Parts)
		require.Equal(t, []any{"", "main", "m0"}, []any{shown.Request, shown.Discussion, shown.Model})
		require.Equal(t, int64(150), *sent.Count)
		require.Nil(t, shown.Count)
	}
	last := f.preview("")
	require.Equal(t, []string{"system role", "text ", "entry User", "entry AI", "entry User", "entry AI", "tools 1 tools"},
		kindsOf(last))
	require.Nil(t, last.USD)
	require.Equal(t, "no price of script/m0 is known", last.NoPrice)
}

// kindsOf returns kind and name of each part.
func kindsOf(c wire.ContextPreview) []string {
	var out []string
	for _, p := range c.Parts {
		out = append(out, p.Kind+" "+p.Name)
	}
	return out
}

func TestAPreviewSaysWhatEachPartCosts(t *testing.T) {
	t.Parallel()
	f := aggregating(t)
	cached := int64(100_000)
	offer := events.ModelsOffered{Models: []events.ModelOffer{{Provider: "script", Model: "m*", Source: "a test",
		Prices: []events.ModelPrice{{Input: 1_000_000, Output: 1, CacheRead: &cached, Source: "a test",
			AsOf: "2026-11-01"}}}}}
	f.put(person, offer)
	shown := f.preview("text=x")
	require.Empty(t, shown.NoPrice+shown.NoCachedPrice)
	require.InDelta(t, float64(shown.Tokens)/1e6, *shown.USD, 1e-12)
	require.InDelta(t, float64(shown.Tokens)/1e7, *shown.USDCached, 1e-12)
	var tokens int64
	var usd float64
	for _, p := range shown.Parts {
		tokens, usd = tokens+p.Tokens, usd+*p.USD
		require.NotNil(t, p.USDCached)
	}
	require.Equal(t, shown.Tokens, tokens)
	require.InDelta(t, *shown.USD, usd, 1e-12)

	offer.Models[0].Prices[0].CacheRead = nil
	f.put(person, offer)
	shown = f.preview("text=x")
	require.NotNil(t, shown.Parts[0].USD)
	require.Nil(t, shown.Parts[0].USDCached)
	require.Nil(t, shown.USDCached)
	require.Contains(t, shown.NoCachedPrice, "no cached-input price is known for")
}

func TestAPreviewIsRefusedWhereThereIsNone(t *testing.T) {
	t.Parallel()
	f := aggregating(t)
	for query, want := range map[string]int{
		"discussion=nowhere": http.StatusNotFound, "persona=nobody": http.StatusBadRequest, "tier=5": http.StatusBadRequest,
		"tier=0": http.StatusBadRequest, "tier=x": http.StatusBadRequest, "attempt=1": http.StatusBadRequest,
		"ticket=T-1": http.StatusNotFound, "request=gone": http.StatusNotFound, "text=a&text=b": http.StatusBadRequest,
	} {
		a := f.get("/api/context/preview?"+query, access.RightHuman)
		require.Equal(t, want, a.status, "%.60s: %s", query, a.body)
		requireProblem(t, a, "")
	}
	require.Equal(t, http.StatusForbidden, f.get("/api/context/preview", access.RightRead).status)
	require.Empty(t, recorded[events.TurnRequested](f))
	f.put(person, events.SessionClosed{Reason: "over"})
	requireProblem(t, f.get("/api/context/preview", access.RightHuman), "accepts no turns")

	none := open(t)
	require.Equal(t, http.StatusServiceUnavailable, none.get("/api/context/preview", access.RightHuman).status)
}

func TestARecordedRequestIsShownAsItWasSent(t *testing.T) {
	t.Parallel()
	f := aggregating(t, `{"script":"ls"}`, "There are two files.")
	done := f.background(f.request(http.MethodPost, "/api/v1/generate", access.RightHuman,
		`{"discussion":"main","prompt":"How many files?"}`))
	f.awaitAction()
	requireProblem(t, f.get("/api/context/preview?text=x", access.RightHuman), "waiting for the answer")
	require.Equal(t, http.StatusOK, f.human("/api/asks/tool/respond", `{"response":true}`).status)
	turn := (<-done).object(t)
	require.Equal(t, "done", turn["outcome"], turn)
	var asked []string
	for _, e := range eventstest.All(t, f.log, events.Filter{Project: project, Type: "ModelRequested"}) {
		asked = append(asked, e.ID)
	}
	first, last := f.preview("request="+asked[0]), f.preview("request="+asked[1])
	require.Equal(t, []string{"system role", "text ", "text message", "tools 1 tools"}, kindsOf(first))
	require.Equal(t, []string{"text message", "reply ", "result run_powershell", "tools 1 tools"}, kindsOf(last)[2:])
	require.Contains(t, last.Markdown, `{"call": "run_powershell", "args": {"script":"ls"}}`)
	require.Equal(t, []int{1, 2}, []int{first.Round, last.Round})
}

func TestTheButtonKeepsTheContextOfTheNextTurn(t *testing.T) {
	t.Parallel()
	files := &folder{files: map[string]string{}}
	f := aggregatingIn(t, files)
	f.queue(t, `{"action":"set_value","item":"ai_input","value":"What is it?"}`)
	for n := range 2 {
		f.queue(t, `{"action":"click","item":"btn_md_only"}`)
		var got struct {
			Path, SHA256 string
			Tokens       int64
		}
		pushed := recorded[events.EventPushed](f)
		require.Len(t, pushed, n+1)
		require.Equal(t, "md_generated", pushed[n].Kind)
		require.NoError(t, json.Unmarshal(pushed[n].Payload, &got))
		require.Equal(t, fmt.Sprintf("./md_gen/w_%03d.md", n+1), got.Path)
		require.Equal(t, f.preview("text=What+is+it%3F").Markdown, files.files[got.Path])
		require.Equal(t, events.Digest([]byte(files.files[got.Path])), got.SHA256)
	}
	require.Empty(t, recorded[events.TurnRequested](f))
}

func TestTheRequestOfATicketIsThatOfItsWorker(t *testing.T) {
	t.Parallel()
	f := aggregating(t, "x", "x", "x")
	asks := func(tier, attempt int, text string) {
		parts := []events.Part{{Role: "user", Text: text}}
		digest, err := events.ManifestDigest(parts)
		require.NoError(t, err)
		f.put(events.ActorContributor, events.ModelRequested{Ticket: "T-9", TicketAttempt: attempt, Tier: tier,
			Provider: "script", Model: "m0", Attempt: 1, Manifest: parts, SHA256: digest})
	}
	asks(3, 1, "first try")
	asks(3, 2, "second try")
	asks(2, 2, "review")
	for query, want := range map[string]string{"ticket=T-9": "second try", "ticket=T-9&attempt=1": "first try"} {
		require.Contains(t, f.preview(query).Markdown, want)
	}
	requireProblem(t, f.get("/api/context/preview?ticket=T-9&attempt=3", access.RightHuman), "no such request")
}
