package llmtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// embeds posts a request for embeddings and returns the status and the body of the answer.
func embeds(t *testing.T, s *Server, path string, body any) (int, string) {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, bytes.NewReader(raw))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+Key)
	req.Header.Set("X-Goog-Api-Key", Key)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(said)
}

// times returns a list of the same texts.
func times(n int, text string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = text
	}
	return out
}

func TestOpenAIRefusesTheseEmbeddings(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	ask := func(change object) object {
		q := object{"model": "text-embedding-3-small", "input": []string{"a"}, "encoding_format": "float"}
		for k, v := range change { // order-independent
			q[k] = v
		}
		return q
	}
	long := strings.Repeat("a", openAIEmbedTokens*charsPerToken)
	for name, c := range map[string]struct {
		flavour string
		change  object
		status  int
		said    string
	}{
		"nothing":                {"openai", nil, 200, `"index":0`},
		"2,048 texts":            {"openai", object{"input": times(2048, "a")}, 200, `"index":2047`},
		"2,049 texts":            {"openai", object{"input": times(2049, "a")}, 400, "not be larger than 2048"},
		"a text of 8,192 tokens": {"openai", object{"input": []string{long}}, 200, `"prompt_tokens":8192`},
		"a text of 8,193 tokens": {"openai", object{"input": []string{long + "a"}}, 400, "has 8193 tokens"},
		"300,000 tokens": {"openai", object{"input": append(times(36, long), long[:5088*charsPerToken])}, 200,
			`"prompt_tokens":300000`},
		"300,001 tokens": {"openai", object{"input": append(times(36, long), long[:5088*charsPerToken+1])}, 400,
			"max 300000"},
		"no text":          {"openai", object{"input": []string{}}, 400, "must not be empty"},
		"an empty text":    {"openai", object{"input": []string{"a", ""}}, 400, "empty string"},
		"an unknown model": {"openai", object{"model": "gpt-5-mini"}, 404, "does not exist"},
		"dimensions of ada": {"openai", object{"model": "text-embedding-ada-002", "dimensions": 768}, 400,
			"dimensions"},
		"too many dimensions":      {"openai", object{"dimensions": 1537}, 400, "dimensions"},
		"an unknown field":         {"openai", object{"task": "x"}, 400, "task"},
		"eleven texts for Qwen":    {"qwen", object{"input": times(11, "a")}, 400, "not be larger than 10"},
		"an empty text for Ollama": {"llama", object{"input": []string{""}}, 400, "empty string"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, said := embeds(t, OpenAI(t, c.flavour, Options{}), "/v1/embeddings", ask(c.change))
			require.Equal(t, c.status, status, said)
			require.Contains(t, said, c.said)
		})
	}
}

func TestGeminiRefusesTheseEmbeddings(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	one := func(change object) object {
		q := object{"model": "models/gemini-embedding-001", "content": object{"parts": []any{object{"text": "a"}}}}
		for k, v := range change { // order-independent
			q[k] = v
		}
		return q
	}
	batch := func(n int, change object) object {
		list := make([]any, n)
		for i := range list {
			list[i] = one(change)
		}
		return object{"requests": list}
	}
	said := func(text string) object { return object{"content": object{"parts": []any{object{"text": text}}}} }
	long := strings.Repeat("a", geminiEmbedTokens*charsPerToken)
	for name, c := range map[string]struct {
		model  string
		body   object
		status int
		said   string
	}{
		"100 texts":              {"gemini-embedding-001", batch(100, nil), 200, `"values"`},
		"101 texts":              {"gemini-embedding-001", batch(101, nil), 400, "at most 100 requests can be in one batch"},
		"a text of 2,048 tokens": {"gemini-embedding-001", batch(1, said(long)), 200, `"values"`},
		"a text of 2,049 tokens": {"gemini-embedding-001", batch(1, said(long+"a")), 400, "exceeds the maximum number"},
		"an empty text":          {"gemini-embedding-001", batch(1, said("")), 400, "empty string"},
		"no text":                {"gemini-embedding-001", batch(0, nil), 400, "must not be empty"},
		"two parts": {"gemini-embedding-001", batch(1, object{"content": object{"parts": []any{object{"text": "a"},
			object{"text": "b"}}}}), 400, "one part"},
		"another model inside": {"gemini-embedding-001", batch(1, object{"model": "models/x"}), 400, "must match"},
		"a model that talks":   {"gemini-3.5-flash", batch(1, nil), 404, "not supported for embedContent"},
		"an unknown task":      {"gemini-embedding-001", batch(1, object{"taskType": "SEARCH"}), 400, "task_type"},
		"3,073 dimensions":     {"gemini-embedding-001", batch(1, object{"outputDimensionality": 3073}), 400, "3072"},
		"an unknown field":     {"gemini-embedding-001", batch(1, object{"user": "x"}), 400, "user"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, got := embeds(t, Gemini(t, Options{}), "/v1beta/models/"+c.model+":batchEmbedContents", c.body)
			require.Equal(t, c.status, status, got)
			require.Contains(t, got, c.said)
		})
	}
}
