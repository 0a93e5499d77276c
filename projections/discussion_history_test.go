package projections_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func TestATextOfTheHistoryReadsAsTheOriginalDoes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]projections.HistoryEntry{
		"@2026-03-01T10:00:00\nUser:\nhello\nworld": {Role: "User", Content: "hello\nworld", Time: "2026-03-01T10:00:00"},
		"AI:\n":                      {Role: "AI"},
		"vendor api:\nx":             {Role: "Vendor API", Content: "x"},
		"[SYSTEM]:\nx":               {Role: "System", Content: "x"},
		"[ai]\nx":                    {Role: "AI", Content: "x"},
		"Nobody:\nx":                 {Role: "User", Content: "Nobody:\nx"},
		"no role at all":             {Role: "User", Content: "no role at all"},
		"":                           {Role: "User"},
		"@only a time":               {Role: "User", Content: "@only a time"},
		"@t\n":                       {Role: "User", Time: "t"},
		"User: inline\nis no role":   {Role: "User", Content: "User: inline\nis no role"},
		"@2026\nTool:\n@x\nUser:\ny": {Role: "Tool", Content: "@x\nUser:\ny", Time: "2026"},
	} {
		require.Equal(t, want, projections.ParseHistoryEntry(text, projections.DefaultRoles()), "%q", text)
	}
}

func TestAnImportedHistoryComesBackAsItWas(t *testing.T) {
	t.Parallel()
	h := projections.History{Roles: []string{"User", "AI", "Critic"}, Active: "second",
		Discussions: map[string]projections.HistoryStretch{
			"main": {GitCommit: "abc", LastUpdated: "2026-03-01T10:00:00",
				History: []string{"@2026-03-01T10:00:00\nUser:\nhello\n", "Critic:\nno"}},
			"second":      {History: []string{}},
			"main_take_1": {History: []string{"@t\nAI:\n \n"}},
		}}
	raw, err := json.Marshal(h)
	require.NoError(t, err)
	s := opened(t, events.Settings{})
	s.by("ada", says("gives way"))
	s.by("ada", events.SessionPartUploaded{Upload: "u", Kind: events.UploadHistory, Count: 1, Text: string(raw)})
	require.Equal(t, h, s.set.History())
	require.Equal(t, "second", s.set.ActiveDiscussion())
	s.by("ada", says("new"))
	require.Equal(t, []string{"@2026-01-02T03:04:09\nUser:\nnew"}, s.set.ActiveHistory())
}

func TestABrokenHistoryImportsNothing(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	for _, text := range []string{
		`[]`, `{}`, `{"discussions":{}}`, `{"discussions":{"a":{"history":[1]}}}`, `{"discussions":{"a":[]}}`,
		`{"discussions":{" ":{}}}`,
		`{"active":"b","discussions":{"a":{}}}`, `{"roles":["x","X"],"discussions":{"a":{}}}`,
	} {
		id := s.by("ada", events.SessionPartUploaded{Upload: text, Kind: events.UploadHistory, Count: 1, Text: text})
		require.NotEmpty(t, s.set.DiscussionRefusal(id), text)
	}
	id := s.by("ada", events.SessionPartUploaded{Upload: "k", Kind: "other", Count: 1, Text: "{}"})
	require.NotEmpty(t, s.set.DiscussionRefusal(id))
	require.Len(t, s.set.Discussions(), 1)
	require.Equal(t, projections.DefaultRoles(), s.set.DiscussionRoles())
}
