package config

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm/geminicli"
)

func TestTheProgramOfAProviderIsOnRecordUnderOneName(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Tiers["1"] = Tier{Provider: "gemini-cli", Model: "m", MaxOutputTokens: 1, MaxRounds: 1}
	c.Providers["gemini-cli"] = Provider{Command: "/bin/g", SilenceS: 7}
	c.Providers["b"] = Provider{}
	require.NoError(t, c.Validate())
	s := c.Settings(false)
	require.Equal(t, []events.ProviderSettings{{Provider: geminicli.Name, Command: "/bin/g"}}, s.Providers)
	require.Equal(t, geminicli.Name, s.Tier(1).Provider)
	require.Contains(t, Providers(c, Credentials{}), geminicli.Name)
	require.Equal(t, 7, c.Provider(geminicli.Name).SilenceS)
}

func TestAProviderHasOneSection(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Providers["gemini-cli"], c.Providers["gemini_cli"] = Provider{}, Provider{}
	var wrong *Error
	require.ErrorAs(t, c.Validate(), &wrong)
	require.Equal(t, "providers.gemini_cli", wrong.Key)
}

// TestAPersonMayChangeSettingsAsFarAsTheConfigurationGoes holds the limits of
// changes in a running session to those of the configuration.
func TestAPersonMayChangeSettingsAsFarAsTheConfigurationGoes(t *testing.T) {
	t.Parallel()
	limits := map[string][2]float64{}
	items := map[string]int{}
	for _, of := range []reflect.Type{reflect.TypeFor[MMA](), reflect.TypeFor[Tier]()} {
		for _, key := range schemaFields(of, "") {
			limits[key.name], items[key.name] = [2]float64{key.min, key.max}, key.items
		}
	}
	require.Equal(t, [2]float64{1, events.MaxWorkers}, limits["max_workers"])
	require.Equal(t, [2]float64{0, events.MaxRetries}, limits["max_retries"])
	require.Equal(t, [2]float64{0, events.MaxTemperature}, limits["temperature"])
	require.Equal(t, [2]float64{0, events.MaxTopP}, limits["top_p"])
	require.Equal(t, [2]float64{0, events.MaxOutputTokens}, limits["max_output_tokens"])
	require.Equal(t, [2]float64{1, events.MaxRounds}, limits["max_rounds"])
	require.Equal(t, events.MaxModels, items["models"])
}
