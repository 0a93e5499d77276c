package llm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/script"
)

// asked is a request, its reply and what they refer to, as a history.
func asked(t *testing.T, change func(*events.ModelReplied)) []events.Event {
	t.Helper()
	request := events.ModelRequested{Provider: script.Name, Model: "m", Tools: []string{"read_file"},
		Manifest: []events.Part{
			{Role: "user", From: "built", SHA256: events.Digest([]byte("view")), Size: 4},
			{Role: "user", SHA256: events.Digest([]byte("blob")), Size: 4}}}
	digest, err := events.ManifestDigest(request.Manifest)
	require.NoError(t, err)
	request.SHA256 = digest
	history := []events.Event{
		{ID: "offer", Payload: events.ToolsOffered{Tools: []events.ToolOffer{{Name: "read_file", Description: "d",
			Schema: []byte(`{}`)}}}},
		{ID: "built", Payload: events.ContextBuilt{Views: []events.View{{Text: "view"}}}},
		{ID: "request", Payload: request},
	}
	record := &llm.Record{}
	for i := range history {
		record.Take(&history[i])
	}
	r, err := record.Request("request", request, stored)
	require.NoError(t, err)
	require.Len(t, r.Tools, 1)
	body, err := r.Wire()
	require.NoError(t, err)
	reply := events.ModelReplied{Request: "request", Wire: llm.NeutralWire, BodySHA256: events.Digest(body)}
	change(&reply)
	return append(history, events.Event{ID: "reply", Payload: reply})
}

func stored(string) ([]byte, error) { return []byte("blob"), nil }

func TestEveryBodyIsBuiltAgainFromTheRecord(t *testing.T) {
	t.Parallel()
	all := map[string]llm.Provider{script.Name: script.Provider{}}
	lost := func(string) ([]byte, error) { return nil, events.ErrNoBlob }
	for name, c := range map[string]struct {
		change    func(*events.ModelReplied)
		providers map[string]llm.Provider
		blob      llm.Blob
		seen      llm.Checked
		bad       bool
	}{
		"the same": {func(*events.ModelReplied) {}, all, stored, llm.Checked{Same: 1}, false},
		"another": {func(r *events.ModelReplied) { r.BodySHA256 = "other" }, all, stored,
			llm.Checked{}, true},
		"in a format that it cannot make": {func(r *events.ModelReplied) { r.Wire = "neutral/2" }, all, stored,
			llm.Checked{Skipped: 1}, false},
		"of before bodies were recorded": {func(r *events.ModelReplied) { r.BodySHA256, r.Wire = "", "" }, all, stored,
			llm.Checked{Skipped: 1}, false},
		"of a provider that is not here": {func(*events.ModelReplied) {}, nil, stored, llm.Checked{Skipped: 1}, false},
		"of bytes that are not at hand":  {func(*events.ModelReplied) {}, all, lost, llm.Checked{Skipped: 1}, false},
		"of bytes that are others": {func(*events.ModelReplied) {}, all, func(string) ([]byte, error) {
			return []byte("blub"),
				nil
		},
			llm.Checked{}, true},
	} {
		seen, bad := llm.CheckBodies(asked(t, c.change), c.providers, c.blob)
		require.Equal(t, c.seen, seen, name)
		require.Equal(t, c.bad, bad != nil, name)
		if bad != nil {
			require.Equal(t, 3, bad.Position, name)
		}
	}
}

// requested is a request that goes on behind keep parts of another, whose digest
// is that of the whole manifest; before "": the parts are the whole.
func requested(t *testing.T, before string, keep int, whole ...events.Part) events.ModelRequested {
	t.Helper()
	digest, err := events.ManifestDigest(whole)
	require.NoError(t, err)
	return events.ModelRequested{Provider: script.Name, Model: "m", Continues: before, Keep: keep, Manifest: whole[keep:],
		SHA256: digest}
}

func TestWhatContinuesHasTheBodyOfTheWhole(t *testing.T) {
	t.Parallel()
	all := map[string]llm.Provider{script.Name: script.Provider{}}
	prompts := [][]events.Part{
		{user("brief")},
		{user("brief"), {Role: "assistant", From: "re 0", SHA256: events.Digest([]byte("reply 0")), Size: 7}, user("go on"),
			user("files")},
		{user("brief"), {Role: "assistant", From: "re 0", SHA256: events.Digest([]byte("reply 0")), Size: 7}, user("go on")},
		{user("brief"), user("left out"), {Role: "assistant", From: "re 2", SHA256: events.Digest([]byte("reply 2")),
			Size: 7}, user("and now")},
	}
	keeps := []int{0, 1, 3, 1}
	var whole, parts []events.Event
	record := &llm.Record{}
	take := func(e events.Event) {
		record.Take(&e)
		whole = append(whole, e)
	}
	for i, prompt := range prompts {
		id, before := fmt.Sprint("ask ", i), ""
		if keeps[i] > 0 {
			before = fmt.Sprint("ask ", i-1)
		}
		m := requested(t, "", 0, prompt...)
		take(events.Event{ID: id, Payload: m})
		r, err := record.Request(id, m, nil)
		require.NoError(t, err)
		body, err := r.Wire()
		require.NoError(t, err)
		text := fmt.Sprint("reply ", i)
		take(events.Event{ID: fmt.Sprint("re ", i), Payload: events.ModelReplied{Request: id, Text: text,
			SHA256: events.Digest([]byte(text)), Wire: llm.NeutralWire, BodySHA256: events.Digest(body)}})
		parts = append(parts, events.Event{ID: id, Payload: requested(t, before, keeps[i], prompt...)}, whole[len(whole)-1])
	}
	for _, history := range [][]events.Event{whole, parts} {
		seen, bad := llm.CheckBodies(history, all, nil)
		require.Nil(t, bad)
		require.Equal(t, llm.Checked{Same: len(prompts)}, seen)
	}
	parts[4].Payload = requested(t, "ask 1", 4, slices.Concat(prompts[1], prompts[2])...) // another prompt than was sent
	_, bad := llm.CheckBodies(parts, all, nil)
	require.Equal(t, 5, bad.Position)
}

func TestAPromptThatCannotBePutTogetherIsAnInvalidRequest(t *testing.T) {
	t.Parallel()
	first := requested(t, "", 0, user("a"), user("b"))
	forged := requested(t, "1", 1, user("a"), user("c"))
	forged.Keep = 2
	for name, c := range map[string]struct {
		asks events.ModelRequested
		want string
	}{
		"unknown": {requested(t, "lost", 1, user("a")),
			`request 2: it continues request "lost", which is not an earlier request`},
		"itself": {requested(t, "2", 1, user("a")), `request 2: it continues request "2"`},
		"a part too far": {events.ModelRequested{Continues: "1", Keep: 3},
			`request 2: it keeps 3 parts of request "1", which has 2`},
		"another prompt": {forged, "request 2: the digest of its manifest is "},
		"no digest":      {events.ModelRequested{Continues: "1", Keep: 2}, "the recorded one is "},
	} {
		var r llm.Record
		r.Take(&events.Event{ID: "1", Payload: first})
		r.Take(&events.Event{ID: "2", Payload: c.asks})
		_, err := r.Request("2", c.asks, nil)
		require.ErrorContains(t, err, c.want, name)
		require.Equal(t, events.ModelInvalidRequest, llm.AsError(err).Kind, name)
	}
	var r llm.Record
	_, err := r.Request("1", first, nil)
	require.ErrorContains(t, err, "request 1 is not recorded, or another request has continued it")
	r.Take(&events.Event{ID: "1", Payload: first})
	r.Take(&events.Event{ID: "2", Payload: requested(t, "1", 2, user("a"), user("b"), user("c"))})
	_, err = r.Request("1", first, nil)
	require.ErrorContains(t, err, "request 1 is not recorded, or another request has continued it")
}
