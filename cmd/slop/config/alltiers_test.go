package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// modelsOf is provider and model of each tier.
func modelsOf(c Config) (out [4][2]string) {
	for n := range out {
		t := c.Tier(n + 1)
		out[n] = [2]string{t.Provider, t.Model}
	}
	return out
}

func TestOneLineChangesTheProviderOfEveryTier(t *testing.T) {
	t.Parallel()
	got, err := newLoadCase(t).load("[tiers]\nall = { provider = \"anthropic\", model = \"claude-sonnet-4-6\", "+
		"max_rounds = 7 }\n", "", "")
	require.NoError(t, err)
	sonnet := [2]string{"anthropic", "claude-sonnet-4-6"}
	require.Equal(t, [4][2]string{sonnet, sonnet, sonnet, sonnet}, modelsOf(got))
	require.Equal(t, Tier{Provider: "anthropic", Model: "claude-sonnet-4-6", MaxOutputTokens: 0, MaxRounds: 7},
		got.Tier(4))
	require.Len(t, got.Tiers, 4)
}

func TestATierHoldsAgainstAllInItsOwnFileOnly(t *testing.T) {
	t.Parallel()
	got, err := newLoadCase(t).load("[tiers]\n1 = { model = \"opus\" }\n4 = { provider = \"openai\", model = \"mini\" "+
		"}\nall = { provider = \"anthropic\", models = [\"sonnet\", \"opus\"], effort = \"low\" }\n2.effort = \"high\"\n", "",
		"")
	require.NoError(t, err)
	require.Equal(t, Tier{Provider: "anthropic", Model: "opus", Effort: "low", MaxOutputTokens: 0, MaxRounds: 40},
		got.Tier(1))
	require.Equal(t, []string{"sonnet", "opus"}, got.Tier(2).Models)
	require.Equal(t, "high", got.Tier(2).Effort)
	require.Equal(t, Tier{Provider: "openai", Model: "mini", Effort: "low", MaxOutputTokens: 0, MaxRounds: 40},
		got.Tier(4))

	got, err = newLoadCase(t).load("[tiers.4]\nprovider = \"openai\"\nmodel = \"mini\"\n",
		"[tiers]\nall = { provider = \"grok\", model = \"g\" }\n", "")
	require.NoError(t, err)
	require.Equal(t, [2]string{"grok", "g"}, modelsOf(got)[3], "a later file wins")
}

func TestMistakesInAllTiersAreToldWithTheirLine(t *testing.T) {
	t.Parallel()
	c := newLoadCase(t)
	_, err := c.load("\n[tiers.all]\neffort = \"huge\"\n", "", "")
	require.ErrorContains(t, err, c.UserDir+"/config.toml:3: `tiers.all.effort` must be")
	c = newLoadCase(t)
	_, err = c.load("[tiers]\n1 = { model = \"m\" }\nall = { provider = \"anthropi\", model = \"m\" }\n", "", "")
	require.ErrorContains(t, err, c.UserDir+"/config.toml:3: `tiers.all.provider` must name a known provider, got \"anthropi\"")
	require.Equal(t, 1, strings.Count(err.Error(), "anthropi\""), "told once")
	c = newLoadCase(t)
	_, err = c.load("[tiers.all]\nmodle = \"m\"\n", "", "")
	require.ErrorContains(t, err, "2: unknown key `tiers.all.modle`; did you mean `model`?")
}

func TestAProviderNeedsAModelBesideIt(t *testing.T) {
	t.Parallel()
	c := newLoadCase(t)
	_, err := c.load("[tiers]\n3.provider = \"anthropic\"\n", "", "")
	require.ErrorContains(t, err, c.UserDir+"/config.toml:2: `tiers.3.provider` needs a model too: "+
		"\"gemini-2.5-flash-lite\"")
	_, err = newLoadCase(t).load("tiers.all = { provider = \"anthropic\" }\n", "", "")
	require.ErrorContains(t, err, "`tiers.all.provider` needs a model too")
	for _, good := range []string{"provider = \"script\"", "provider = \"gemini-cli\"",
		"provider = \"anthropic\"\nmodels = [\"a\"]"} {
		_, err := newLoadCase(t).load("[tiers.3]\n"+good+"\n", "", "")
		require.NoError(t, err, good)
	}
	_, err = newLoadCase(t).load("tiers.3.model = \"a\"\n", "tiers.3.provider = \"anthropic\"\n", "")
	require.NoError(t, err, "another file names it")
}

func TestAProjectCannotWidenAllTiersAtOnce(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"provider = \"openai\"", "max_rounds = 41"} {
		c := newLoadCase(t)
		_, err := c.load("", "", "[tiers.all]\n"+bad+"\n")
		require.ErrorContains(t, err, c.ProjectDir+"/slop.toml:2: `tiers.all."+strings.Fields(bad)[0]+"`", bad)
		require.Equal(t, 1, strings.Count(err.Error(), "slop.toml"), "told once")
	}
	got, err := newLoadCase(t).load("[providers.openai]\n", "", "tiers.all = { provider = \"openai\", model = \"mini\", "+
		"max_rounds = 3 }\n")
	require.NoError(t, err)
	require.Equal(t, [2]string{"openai", "mini"}, modelsOf(got)[2])
	require.Equal(t, 3, got.Tier(1).MaxRounds)
}
