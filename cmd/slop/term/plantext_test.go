package term

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlanIsEditedAsText(t *testing.T) {
	t.Parallel()
	const plan = `{"track":"TR-1","tickets":[{"id":"T-001","description":"Edit\n## not a ticket\n\\ a","priority":"high"},` +
		`{"id":"T-002","description":"Test","depends_on":["T-001"],"target_file":"b.go","check":"go test ./..."}]}`
	text, err := PlanText([]byte(plan))
	require.NoError(t, err)
	tickets, _ := strings.CutPrefix(string(text), planHead)
	require.Equal(t, "\n## T-001\n\nEdit\n\\## not a ticket\n\\\\ a\n\n## T-002\nafter: T-001\nfile: b.go\n"+
		"check: go test ./...\n\nTest\n", tickets)
	back, err := PlanFrom([]byte(plan), text)
	require.NoError(t, err)
	require.JSONEq(t, plan, string(back), "unchanged")

	back, err = PlanFrom([]byte(plan), []byte("## T-003\r\nafter: T-001\r\n\r\nNew\r\n\r\n##T-001\n\nEdit a\n\nand b\n\n"))
	require.NoError(t, err)
	require.JSONEq(t, `{"track":"TR-1","tickets":[{"id":"T-003","description":"New","depends_on":["T-001"]},`+
		`{"id":"T-001","description":"Edit a\n\nand b","priority":"high"}]}`, string(back))

	for bad, why := range map[string]string{
		"":                              "the text has no ticket",
		planHead:                        "the text has no ticket",
		"# x\n\nEdit":                   `line 3: expected "## ID"`,
		"## T-1\n\nx\n## \n":            "line 4: a ticket needs an id",
		"## T-1\n\nx\n## T-1\n":         "line 4: T-1 is already the ticket of line 1",
		"## T-1\nEdit it\n":             `line 2: "Edit it": expected after:, file: or check:`,
		"## T-1\n\n## T-2\nafter: T-3,": "line 3: T-2 depends on T-3, which is not in the plan",
	} {
		_, err := PlanFrom([]byte(plan), []byte(bad))
		require.ErrorContains(t, err, why)
	}
	_, err = PlanText([]byte(`{"tickets":[{"id":"T-1","check":"a\nb"}]}`))
	require.ErrorContains(t, err, "e json")
	_, err = PlanText([]byte(`{"tickets":1}`))
	require.ErrorContains(t, err, "cannot be edited")
}
