package tiers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

func TestAModelIsToldWhereItWorks(t *testing.T) {
	t.Parallel()
	require.Empty(t, tiers.Sitting{Reply: 100}.Environment(events.Settings{Shell: "bash"}),
		"an older session does not say")
	require.Equal(t, said("# Environment\n\nSystem: linux; shell: bash; git: yes. Paths begin in the project's folder, "+
		"where scripts start."+
		" A script ends after 60 s. A reply ends at 100 tokens, thoughts included.\n"),
		tiers.Sitting{Reply: 100}.Environment(events.Settings{System: "linux", Shell: "bash", Git: true,
			ToolTimeoutMS: 60_000}))
	require.Equal(t, said("# Environment\n\nSystem: linux; git: no. Paths begin in the project's folder, where scripts "+
		"start. A script ends after 60 s; timeout_s may ask for up to 90 s, but more than 60 s needs a person's approval.\n"),
		tiers.Sitting{}.Environment(events.Settings{System: "linux", ToolTimeoutMS: 60_000, MaxToolTimeoutMS: 90_000}))
	require.Equal(t, said("# Environment\n\nSystem: windows; git: no. Paths begin in the project's folder, where "+
		"scripts start.\n"),
		tiers.Sitting{}.Environment(events.Settings{System: "windows"}))
}
