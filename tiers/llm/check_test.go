package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/script"
)

// asked is a request, its reply and what they refer to, as a history.
func asked(t *testing.T, change func(*events.ModelReplied)) []events.Event {
	t.Helper()
	request := events.ModelRequested{Provider: script.Name, Model: "m", Tools: []string{"read_file"}, Manifest: []events.Part{
		{Role: "user", From: "built", SHA256: events.Digest([]byte("view")), Size: 4}, {Role: "user", SHA256: events.Digest([]byte("blob")), Size: 4}}}
	digest, err := events.ManifestDigest(request.Manifest)
	require.NoError(t, err)
	request.SHA256 = digest
	history := []events.Event{
		{ID: "offer", Payload: events.ToolsOffered{Tools: []events.ToolOffer{{Name: "read_file", Description: "d", Schema: []byte(`{}`)}}}},
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
		"the same":                        {func(*events.ModelReplied) {}, all, stored, llm.Checked{Same: 1}, false},
		"another":                         {func(r *events.ModelReplied) { r.BodySHA256 = "other" }, all, stored, llm.Checked{}, true},
		"in a format that it cannot make": {func(r *events.ModelReplied) { r.Wire = "neutral/2" }, all, stored, llm.Checked{Skipped: 1}, false},
		"of before bodies were recorded":  {func(r *events.ModelReplied) { r.BodySHA256, r.Wire = "", "" }, all, stored, llm.Checked{Skipped: 1}, false},
		"of a provider that is not here":  {func(*events.ModelReplied) {}, nil, stored, llm.Checked{Skipped: 1}, false},
		"of bytes that are not at hand":   {func(*events.ModelReplied) {}, all, lost, llm.Checked{Skipped: 1}, false},
		"of bytes that are others": {func(*events.ModelReplied) {}, all, func(string) ([]byte, error) { return []byte("blub"), nil },
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
