package llmtest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm/llmtest"
)

// counted is what a reply says of the prompt's tokens.
type counted struct {
	Input, Read, Write, Hour int64
}

// count posts a request and reads the usage out of the reply.
func count(t *testing.T, s *llmtest.Server, q object) counted {
	t.Helper()
	code, body := post(t, s, q)
	require.Equal(t, 200, code, body)
	_, data, _ := strings.Cut(body, "event: message_start\ndata: ")
	data, _, _ = strings.Cut(data, "\n")
	var e struct {
		Message struct {
			Usage struct {
				Input    int64 `json:"input_tokens"`
				Read     int64 `json:"cache_read_input_tokens"`
				Write    int64 `json:"cache_creation_input_tokens"`
				Creation struct {
					Hour int64 `json:"ephemeral_1h_input_tokens"`
				} `json:"cache_creation"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(data), &e))
	u := e.Message.Usage
	return counted{u.Input, u.Read, u.Write, u.Creation.Hour}
}

func cached(t *testing.T, least int64) *llmtest.Server {
	t.Helper()
	return llmtest.Anthropic(t, llmtest.Options{MinPrefix: least, Answer: func(llmtest.View) llmtest.Turn {
		return llmtest.Turn{Text: "Done."}
	}})
}

// prompt has so many blocks for the user, of which the last is marked.
func prompt(blocks int) object {
	q := valid()
	var content []any
	for range blocks - 1 {
		content = append(content, text("x"))
	}
	q["messages"] = []any{said("user", append(content, marked("5m"))...)}
	return q
}

func TestAMarkedPrefixIsCachedFromItsLeastSizeOn(t *testing.T) {
	t.Parallel()
	size := count(t, cached(t, 1_000_000), prompt(1)).Input
	s := cached(t, size+1)
	for range 2 {
		require.Equal(t, counted{Input: size}, count(t, s, prompt(1)), "too short, and nobody says so")
	}
	s = cached(t, size)
	require.Equal(t, counted{Write: size}, count(t, s, prompt(1)))
	require.Equal(t, counted{Read: size}, count(t, s, prompt(1)))
	other := prompt(1)
	other["model"] = "claude-haiku-4-5"
	require.Equal(t, counted{Write: size}, count(t, s, other), "another model knows nothing of it")
	other = prompt(1)
	other["system"] = []any{text("You sleep.")}
	require.Zero(t, count(t, s, other).Read, "another beginning")
}

func TestAMarkLooksBackTwentyBlocks(t *testing.T) {
	t.Parallel()
	s := cached(t, 1)
	first := count(t, s, prompt(1))
	grown := func(more int) object {
		q := prompt(1)
		content := []any{text("x")} // the block that was marked
		for range more - 1 {
			content = append(content, text("y"))
		}
		q["messages"] = []any{said("user", append(content, marked("5m"))...)}
		return q
	}
	require.Zero(t, count(t, s, grown(20)).Read)
	require.Equal(t, first.Write, count(t, cachedWith(t, prompt(1)), grown(19)).Read)
}

// cachedWith is a server that has seen a request.
func cachedWith(t *testing.T, q object) *llmtest.Server {
	t.Helper()
	s := cached(t, 1)
	count(t, s, q)
	return s
}

func TestWhatIsKeptForAnHourIsCountedApart(t *testing.T) {
	t.Parallel()
	q := prompt(1)
	q["system"] = []any{marked("1h")}
	got := count(t, cached(t, 1), q)
	require.Positive(t, got.Hour)
	require.Greater(t, got.Write, got.Hour)
	require.Zero(t, got.Input)
}

func TestTheLeastSizeOfAPrefixFollowsItsModel(t *testing.T) {
	t.Parallel()
	for model, least := range map[string]int64{
		"claude-opus-5-5": 512, "claude-fable-5": 512, "claude-sonnet-4-6": 1024, "claude-opus-4-8": 1024,
		"claude-opus-4-7": 2048, "claude-opus-4-6": 4096, "claude-haiku-4-5": 4096,
	} {
		s := llmtest.Anthropic(t, llmtest.Options{Models: []string{model}, Answer: func(llmtest.View) llmtest.Turn {
			return llmtest.Turn{Text: "Done."}
		}})
		sized := func(tokens int64) object {
			q := prompt(1)
			q["model"] = model
			delete(q, "tools")
			delete(q, "system")
			b := marked("5m")
			b["text"] = strings.Repeat("word", int(tokens))
			q["messages"] = []any{said("user", b)}
			return q
		}
		require.Zero(t, count(t, s, sized(least-100)).Write, model)
		require.Positive(t, count(t, s, sized(least)).Write, model)
	}
}
