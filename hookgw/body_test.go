package hookgw_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

func TestASecretThatIsSpelledWithEscapesIsMaskedToo(t *testing.T) {
	t.Parallel()
	const secret, spelled = "sk/very-secret", `\u0073k\/very\u002Dsecret`
	f := open(t, func(c *core.Config) {
		c.Masker = func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(secret), []byte("***")) }
	})
	f.raise("g1", events.GateTool)
	f.says("/api/session", `{"session":{"entries":["`+spelled+`"]}}`, http.StatusOK)
	f.says("/api/gui", `{"action":"push_event","event_type":"k","payload":"`+spelled+`"}`, http.StatusOK)
	f.says("/api/ask/respond", `{"request_id":"g1","response":{"approved":true,"args":{"path":"`+spelled+`"}}}`,
		http.StatusUnprocessableEntity)
	f.stop()
	for e, err := range f.log.Read(t.Context(), events.Filter{}, 1, 0) {
		require.NoError(t, err)
		var said any
		require.NoError(t, json.Unmarshal(e.Data, &said))
		shown, err := json.Marshal(said) // without needless escapes
		require.NoError(t, err)
		require.NotContains(t, string(shown), secret, e.Type)
	}
}

func TestABodyMeansTheSameAfterItsEscapesAreGone(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, text := range []string{`\\u0041`, `\\\u0041`, `\"\\\/\n`, `\u0022\u005c\u005C`, `\u0000\u001f\u007f\u0020`,
		`\ud83d\ude00é\u00e9`, `A\u0041/\/`, `\\`, `\u00411`} {
		f.says("/api/gui", `{"action":"set_value","item":"ai_input","value":"`+text+`"}`, http.StatusOK)
		require.JSONEq(t, `{"value":"`+text+`"}`, string(f.get("/api/gui/value/ai_input", access.RightRead).body), text)
	}
}
