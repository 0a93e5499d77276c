package app

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASecretIsHiddenInEverySpellingThatJSONGivesIt(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"plain-secret-0123", "a&b<c>d-0123", `quo"te\back-0123`, "new\nline\ttab-0123"} {
		mask := newMask([]string{secret})
		raw, err := json.Marshal(map[string]string{"key": "x" + secret + "y"})
		require.NoError(t, err)
		require.JSONEq(t, `{"key":"x[secret]y"}`, string(mask(raw)))
		require.Equal(t, "x[secret]y", string(mask([]byte("x"+secret+"y"))))
	}
	require.Equal(t, `{"quo\"te\\back-0123 [secret]"}`, string(newMask([]string{`a<"b`})([]byte(`{"quo\"te\\back-0123 a<\"b"}`))))
}
