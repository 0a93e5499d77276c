package term

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASecretIsHiddenInEverySpellingThatJSONGivesIt(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"plain-secret-0123", "a&b<c>d-0123", `quo"te\back-0123`, "new\nline\ttab-0123"} {
		mask := NewMask([]string{secret})
		raw, err := json.Marshal(map[string]string{"key": "x" + secret + "y"})
		require.NoError(t, err)
		require.JSONEq(t, `{"key":"x[secret]y"}`, string(mask(raw)))
		require.Equal(t, "x[secret]y", string(mask([]byte("x"+secret+"y"))))
	}
	require.Equal(t, `{"quo\"te\\back-0123 [secret]"}`,
		string(NewMask([]string{`a<"b`})([]byte(`{"quo\"te\\back-0123 a<\"b"}`))))
}

func TestEveryShapeOfAKeyIsHidden(t *testing.T) {
	t.Parallel()
	mask, long := NewMask(nil), strings.Repeat("A1b2", 10)
	for _, key := range []string{
		"sk-ant-" + long, "sk-" + long, "ghp_" + long, "gho_" + long, "ghu_" + long, "ghs_" + long, "ghr_" + long,
		"github_pat_" + long,
		"AKIA" + strings.Repeat("A", 16), "AIza" + long, "xoxb-" + long, "eyJ" + long + "." + long + "." + long,
		"-----BEGIN RSA PRIVATE KEY-----\nAB/+=\n-----END RSA PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----A-----END PRIVATE KEY-----",
	} {
		require.Equal(t, "see "+masked+" there", string(mask([]byte("see "+key+" there"))))
		for _, before := range []string{"\n", "\t", "\r\n", "\u0001", "\"", "\\"} { // of which JSON makes letters
			text, err := json.Marshal("see" + before + key + "\nthere")
			require.NoError(t, err)
			want, err := json.Marshal("see" + before + masked + "\nthere")
			require.NoError(t, err)
			require.Equal(t, string(want), string(mask(text)))
		}
	}
}

// TestWhatHoldsNoMarkHoldsNoKey compares the mask with its patterns alone.
func TestWhatHoldsNoMarkHoldsNoKey(t *testing.T) {
	t.Parallel()
	mask, random := NewMask(nil), rand.New(rand.NewPCG(1, 2))
	pattern, marks := keysIn(keyShapes)
	blocks := newKeyBlocks()
	pieces := []string{"A", `\n`, `\u001f`, "b2_", "-", ".", " ", "sk", "gh", "p_", "xox", "b-", "PRIVATE KEY", "-----",
		"END ", "BEGIN ", strings.Repeat("A", 16), strings.Repeat("z0", 16)}
	for _, m := range marks {
		pieces = append(pieces, string(m))
	}
	hidden := 0
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		want := pattern.ReplaceAllString(string(blocks.hide([]byte(b.String()))), keptGroups(pattern.NumSubexp())+masked)
		require.Equal(t, want, string(mask([]byte(b.String()))))
		if want != b.String() {
			hidden++
		}
	}
	require.Greater(t, hidden, 1000, "the texts hold hardly any keys")
}
