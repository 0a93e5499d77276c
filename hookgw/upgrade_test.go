package hookgw_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

func TestASessionIsUpgradedByAPersonsWord(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) {
		c.Upgrade = func(_ context.Context, session string, now projections.Settings) ([]events.Payload, error) {
			switch now.Basis.Program {
			case "":
				return []events.Payload{events.DecisionsUpgraded{Basis: events.Basis{Program: "v2"}}}, nil
			case "v2":
				return nil, nil
			case "v9":
				return nil, fmt.Errorf("%w: session %s needs slop with qa decisions 9", events.ErrNewer, session)
			}
			return nil, errors.New("no")
		}
	})
	upgrade := func() (int, string) {
		a := f.post("/api/sessions/upgrade", access.RightHuman, `{}`)
		return a.status, string(a.body)
	}
	status, said := upgrade()
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"status":"ok","changed":true}`, said)
	e := f.expect("DecisionsUpgraded", func(events.Event) bool { return true })
	require.Equal(t, person, e.Actor)
	_, said = upgrade()
	require.JSONEq(t, `{"status":"ok","changed":false}`, said)
	require.Len(t, recorded[events.DecisionsUpgraded](f), 1)

	f.put(person, events.DecisionsUpgraded{Basis: events.Basis{Program: "v9"}})
	status, said = upgrade()
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, said, "needs slop with qa decisions 9")
	require.Equal(t, http.StatusForbidden, f.post("/api/sessions/upgrade", access.RightRead, `{}`).status)
	f.post("/api/sessions/close", access.RightHuman, `{}`)
	status, _ = upgrade()
	require.Equal(t, http.StatusConflict, status)
}
