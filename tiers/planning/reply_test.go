package planning_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/planning"
)

type item struct {
	ID    string   `json:"id"`
	Lists []string `json:"lists"`
}

var errEmptyID = errors.New("an item has no id")

func checkItems(items []item) error {
	if len(items) == 0 {
		return errors.New("no items")
	}
	for _, i := range items {
		if i.ID == "" {
			return errEmptyID
		}
	}
	return nil
}

func TestReadFindsThePlan(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]string{
		"bare":                        `[{"id":"a"},{"id":"b"}]`,
		"in prose":                    `Here it is (see [1]): [{"id":"a"},{"id":"b"}] Good luck!`,
		"in a fence":                  "Sure.\n```json\n[\n  {\"id\": \"a\"},\n  {\"id\": \"b\"}\n]\n```\nDone.",
		"in an object":                `{"items": [{"id":"a"},{"id":"b"}]}`,
		"in an object after another":  `{"thought":"[{"} {"items": [{"id":"a"},{"id":"b"}]}`,
		"after a checklist":           "- [ ] one\n- [x] two\n" + `[{"id":"a"},{"id":"b"}]`,
		"after an unclosed bracket":   `[ {then} [{"id":"a"},{"id":"b"}]`,
		"after an invalid array":      `[{id: "x"}] then [{"id":"a"},{"id":"b"}]`,
		"after an array that is none": `[{"id":""}] then [{"id":"a"},{"id":"b"}]`,
		"after an empty array":        `[] [{"id":"a"},{"id":"b"}]`,
		"with brackets in strings":    `[{"id":"a","lists":["]}\"[{"]},{"id":"b"}]`,
		"with unknown fields":         `[{"id":"a","mood":{"x":[1]}},{"id":"b"}]`,
		"said twice":                  `[{"id":"a"},{"id":"b"}] so: [{"id":"a"},{"id":"b"}]`,
		"in the last fence":           "[{\"id\":\"c\"}]\n```json\n[{\"id\":\"d\"}]\n```\nBetter:\n```json\n[{\"id\":\"a\"},{\"id\":\"b\"}]\n```\nnot [{\"id\":\"e\"}]",
		"in a fence after prose":      "Draft: [{\"id\":\"c\"}]. Final:\n```\n[{\"id\":\"a\"},{\"id\":\"b\"}]\n```",
		"after a thought":             "<think>\n[{\"id\":\"c\"}]\n</think>\n" + `[{"id":"a"},{"id":"b"}]`,
		"after an unopened thought":   "[{\"id\":\"c\"}]\n</think>\n" + `[{"id":"a"},{"id":"b"}]`,
		"beside a quoted line":        "> [{\"id\":\"c\"}]\n" + `[{"id":"a"},{"id":"b"}]`,
		"beside quotations":           "Not `[{\"id\":\"c\"}]` nor \"[{\"id\":\"d\"}]\": " + `[{"id":"a"},{"id":"b"}]`,
		"before an invalid array":     `[{"id":"a"},{"id":"b"}] where [{x}] is not meant, nor []`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items, err := planning.Read(reply, "items", checkItems)
			require.NoError(t, err)
			require.Len(t, items, 2)
			require.Equal(t, "a", items[0].ID)
			require.Equal(t, "b", items[1].ID)
		})
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, reply, want string }{
		{"nothing", "", "no JSON array"},
		{"prose", "I cannot do that [sic] {really}.", "no JSON array"},
		{"an object without the key", `{"other": [{"id":"a"}]}`, "no JSON array"},
		{"numbers only", `[1, 2]`, "no JSON array"},
		{"cut off", `Sure: [{"id":"a"},{"id":`, "begins at byte 6 and is never closed"},
		{"empty", `[]`, "no items"},
		{"null under the key", `{"items": null}`, "no items"},
		{"a wrong type", `[{"id":"a"},{"id":7}]`, `item 2: field "id" must be a string`},
		{"a wrong list", `[{"id":"a","lists":"x"}]`, `item 1: field "lists" must be a list`},
		{"not an object inside", `[{"id":"a"}, 3]`, "item 2: "},
		{"no list under the key", `{"items": {"id":"a"}}`, "not a valid JSON array"},
		{"invalid JSON", `[{"id":"a",}]`, "not a valid JSON array"},
		{"a failed check", `[{"id":""}]`, errEmptyID.Error()},
		{"two that differ", `[{"id":"a"}] or [{"id":"b"}]`, "it holds 2 that differ"},
		{"a draft and a final one that fails", `[{"id":"a"}] better: [{"id":""},{"id":"b"}]`, errEmptyID.Error()},
		{"a draft and a final one of a wrong type", `[{"id":"a"}] better: [{"id":1}]`, "must be a string"},
		{"a thought alone", "<think>[{\"id\":\"a\"}]</think>", "no JSON array"},
		{"a quoted line alone", "> [{\"id\":\"a\"}]", "no JSON array"},
		{"the longest candidate speaks", `[] [{"id":""}] []`, errEmptyID.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := planning.Read(c.reply, "items", checkItems)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestReadComesToAnEndOnHostileReplies(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{
		strings.Repeat(`[{"`, 150_000), strings.Repeat(`[{`, 200_000), strings.Repeat(`{"`, 200_000),
		strings.Repeat(`[]`, 200_000), strings.Repeat("[ ", 200_000), strings.Repeat(`[{"id":""}]`, 40_000),
	} {
		_, err := planning.Read(reply, "items", checkItems)
		require.Error(t, err)
	}
}

func TestUnclosedBracketsAreTriedSoOftenAndNotMore(t *testing.T) {
	t.Parallel()
	plan := `[{"id":"a"}]`
	_, err := planning.Read(strings.Repeat(`[{`, 31)+plan, "items", checkItems)
	require.NoError(t, err)
	_, err = planning.Read(strings.Repeat(`[{ `, 64)+plan, "items", checkItems)
	require.ErrorIs(t, err, planning.ErrNoArray)
}

func TestLimitsAtOneMore(t *testing.T) {
	t.Parallel()
	require.NoError(t, planning.CheckText(strings.Repeat("x", planning.MaxTextBytes)))
	require.Error(t, planning.CheckText(strings.Repeat("x", planning.MaxTextBytes+1)))
	require.Error(t, planning.CheckText(" \n"))
	require.NoError(t, planning.CheckID(strings.Repeat("x", 64)))
	require.Error(t, planning.CheckID(strings.Repeat("x", 65)))
	require.Error(t, planning.CheckID(""))
	require.Error(t, planning.CheckID("a b"))
	require.NoError(t, planning.CheckSize("xx", 4))
	require.Error(t, planning.CheckSize("xxx", 4))
	names := make([]string, 101)
	for i := range names {
		names[i] = "n"
	}
	require.True(t, strings.HasSuffix(planning.List(names), "n and 1 earlier ones"))
	require.Equal(t, "n, n", planning.List(names[:2]))
}
