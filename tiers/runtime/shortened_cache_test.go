package runtime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/conversation"
)

// TestACacheSurvivesAShorteningAndARestart holds twelve rounds on fakes that
// cache as their vendors do. From the third on, 95 % of what the request before
// had beside its refresh block is read from the cache: also where rounds and
// results were left out before it, and where another process goes on. On Anthropic
// it is 80 %: the block stands inside the last result, which is read one request
// later. Only the one request that a shortening has changed reads less, and what
// it writes is read by the next.
func TestACacheSurvivesAShorteningAndARestart(t *testing.T) {
	t.Parallel()
	const rounds, shortened, resumed, refreshed = 12, 6, 9, 12
	all := thinkers()
	for _, name := range []string{"anthropic, adaptive", "anthropic, with a budget", "gemini 3, first calls signed",
		"gemini 2.5", "openai", "deepseek", "openrouter"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := all[name].talk(t)
			live := c.thread()
			share := int64(95)
			if strings.HasPrefix(name, "anthropic") {
				share = 80
			}
			var before int64
			for n := 1; n <= rounds; n++ {
				switch n {
				case shortened:
					cut, err := live.Fit(conversation.Reader{Room: 19_000}, nil)
					require.NoError(t, err)
					require.NotEmpty(t, cut.DroppedRounds)
					live.Apply(*cut)
				case resumed:
					c.resume()
				}
				reply := c.ask(live)
				if n >= 3 && n != shortened {
					require.GreaterOrEqual(t, reply.Usage.CacheRead*100, before*share, "round %d of %d tokens", n, before)
				}
				before = reply.Usage.Prompt() - refreshed
				c.goOn(reply)
				c.said[len(c.said)-1](live)
			}
		})
	}
}
