package config

import (
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/gemini"
	"manualslop/tiers/llm/openai"
)

// wire keeps the request that would go out.
type wire struct {
	host, dump string
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	dump, err := httputil.DumpRequestOut(r, true)
	w.host, w.dump = r.URL.Host, string(dump)
	return nil, errors.Join(errors.New("no network here"), err)
}

// TestNoVariableOfTheEnvironmentReachesARequest has every variable that the
// vendors' libraries read name an address, a header or a key of somebody else.
func TestNoVariableOfTheEnvironmentReachesARequest(t *testing.T) {
	for _, name := range []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_WORKSPACE_ID",
		"ANTHROPIC_SERVICE_ACCOUNT_ID",
		"ANTHROPIC_ORGANIZATION_ID", "ANTHROPIC_IDENTITY_TOKEN", "ANTHROPIC_IDENTITY_TOKEN_FILE",
		"ANTHROPIC_FEDERATION_RULE_ID", "ANTHROPIC_CONFIG_DIR",
		"ANTHROPIC_ENVIRONMENT_KEY", "ANTHROPIC_SESSION_ID", "ANTHROPIC_OPEN_TELEMETRY", "ANTHROPIC_AWS_API_KEY",
		"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION",
		"GOOGLE_APPLICATION_CREDENTIALS",
		"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_WEBHOOK_SECRET",
		"AWS_BEARER_TOKEN_BEDROCK",
	} {
		t.Setenv(name, "of-the-environment")
	}
	for _, name := range []string{"ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"} {
		t.Setenv(name, "X-Env: of-the-environment")
	}
	for _, name := range []string{"ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL",
		"GOOGLE_VERTEX_BASE_URL", "DEEPSEEK_BASE_URL", "OLLAMA_HOST"} {
		t.Setenv(name, "https://of-the-environment.invalid")
	}
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	t.Setenv("GOOGLE_GENAI_USE_ENTERPRISE", "true")

	w := &wire{}
	e := llm.Endpoint{Key: "the-persons-key", Client: &http.Client{Transport: w}}
	asked := []llm.Provider{anthropic.Provider{Endpoint: e}, gemini.Provider{Endpoint: e}}
	want := map[string]string{"anthropic": "api.anthropic.com", "gemini": "generativelanguage.googleapis.com"}
	for _, s := range openai.Servers() {
		at, err := url.Parse(s.BaseURL)
		require.NoError(t, err)
		asked, want[s.Name] = append(asked, openai.Provider{Server: s, Endpoint: e}), at.Host
	}
	for _, p := range asked {
		*w = wire{}
		request := llm.Request{Model: "gemini-3-pro", Messages: []llm.Message{{Role: llm.RoleUser,
			Blocks: []llm.Block{llm.Text("hi")}}}}
		_, err := llm.Collect(p.Stream(t.Context(), request), nil)
		require.ErrorContains(t, err, "no network here", p.Name())
		require.Equal(t, want[p.Name()], w.host)
		require.Contains(t, w.dump, "the-persons-key", p.Name())
		require.NotContains(t, w.dump, "of-the-environment", p.Name())

		*w = wire{}
		_, err = p.(llm.Lister).Models(t.Context())
		require.ErrorContains(t, err, "no network here", p.Name())
		require.Equal(t, want[p.Name()], w.host)
		require.NotContains(t, w.dump, "of-the-environment", p.Name())
	}
}
