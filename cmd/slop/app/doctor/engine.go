package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/hookgw/access"
	"manualslop/hookgw/hookclient"
	"manualslop/hookgw/status"
	"manualslop/hookgw/wire"
)

// checkEngine reports whether the gateway of the engine answers, and whether it accepts the tokens.
func checkEngine(ctx context.Context, info site.EngineInfo, engineErr error) []finding {
	const check = "gateway"
	var damaged *site.DamagedRunFile
	if errors.As(engineErr, &damaged) {
		return []finding{note("engine", "none is running on this data folder; "+damaged.Err.Error())}
	}
	if errors.Is(engineErr, site.ErrForeign) {
		return []finding{note("engine", "not checked in a data folder that is not yours")}
	}
	if errors.Is(engineErr, site.ErrNoEngine) {
		return []finding{note("engine", "none is running on this data folder")}
	}
	if engineErr != nil {
		return []finding{broken("engine", engineErr.Error())}
	}
	out := []finding{ok("engine", fmt.Sprintf("process %d, started with session %s", info.PID, info.Session))}
	client, err := client.NewAPIClient(info, access.RightRead)
	if err != nil {
		return append(out, broken(check, err.Error()))
	}
	begun := time.Now()
	var body json.RawMessage
	if err := look(ctx, client, "/status", &body); err != nil {
		return append(out, broken(check, term.Visible(err.Error())))
	}
	if err := look(ctx, client, "/api/gui/mma_status", &body); err != nil {
		return append(out, broken(check, "it answers but rejects the token in "+
			info.Tokens+": "+term.Visible(err.Error())))
	}
	return append(out, ok(check, fmt.Sprintf("%s answers in %s", info.Hooks, time.Since(begun).Round(time.Microsecond))))
}

// look reads one answer of the gateway, without retries.
func look(ctx context.Context, client *hookclient.Client, path string, out any) error {
	_, err := client.Call(ctx, http.MethodGet, path, nil, nil, out)
	return err
}

// checkRoles asks the gateway which roles are running.
func checkRoles(ctx context.Context, info site.EngineInfo, engineErr error) []finding {
	if engineErr != nil {
		return nil
	}
	client, err := client.NewAPIClient(info, access.RightRead)
	if err != nil {
		return nil // checkEngine reports that
	}
	var roles struct{ Present, Missing []string }
	if err := look(ctx, client, "/api/roles", &roles); err != nil {
		return []finding{broken("roles", term.Visible(err.Error()))}
	}
	out := []finding{ok("roles", "at work: "+term.FirstOf(strings.Join(roles.Present, ", "), "none"))}
	if len(roles.Missing) > 0 {
		out = append(out, broken("roles", "roles not running: "+strings.Join(roles.Missing, ", ")))
	}
	return out
}

// checkRequests asks the gateway which requests are waiting, and for what.
func checkRequests(ctx context.Context, info site.EngineInfo, engineErr error) []finding {
	const check = "requests"
	if engineErr != nil {
		return nil
	}
	client, err := client.NewAPIClient(info, access.RightRead)
	if err != nil {
		return nil // checkEngine reports that
	}
	var open status.OpenRequests
	var state wire.GUIHealth
	if err := errors.Join(look(ctx, client, "/api/requests", &open), look(ctx, client, "/api/gui_health",
		&state)); err != nil {
		return []finding{broken(check, term.Visible(err.Error()))}
	}
	var out []finding
	if state.DegradedReason != nil {
		out = append(out, broken("health", term.Visible(*state.DegradedReason)))
	}
	if len(open.Requests) == 0 {
		return append(out, ok(check, "none"))
	}
	said := []string{fmt.Sprintf("%d waiting", len(open.Requests))}
	for _, r := range open.Requests[:min(len(open.Requests), maxRequestsShown)] {
		said = append(said, fmt.Sprintf("%s %s since %s for %s", r.Type, r.Subject, r.Since.UTC().Format(time.RFC3339),
			r.WaitsFor))
	}
	return append(out, note(check, term.Visible(strings.Join(said, "; "))))
}

// maxRequestsShown limits the requests that the doctor names.
const maxRequestsShown = 5
