package program

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// Routes returns the routes that show the running program and its start, and stop it.
func (p *Handlers) Routes() []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Program"
	of := []request.Parameter{request.SessionParameter()}
	return []request.Route{
		{Method: get, Pattern: "/api/performance", Right: access.RightRead, Group: group, Gives: performanceAnswer{},
			Always: true, Handle: p.getPerformance,
			Doc: "Returns figures of the running program; FPS, frame time and input lag are null without an " +
				"attached front end."},
		{Method: post, Pattern: "/api/performance", Right: access.RightHuman, Group: group, Takes: wire.Frame{},
			Gives: request.StatusAnswer{}, Body: request.SmallBody, Signal: true, Always: true, Handle: p.postPerformance,
			Doc: "Accepts the measurements of an attached front end; shown for 5 seconds, never stored."},
		{Method: get, Pattern: "/api/system/telemetry", Right: access.RightRead, Group: group, Query: of,
			Gives: wire.Telemetry{}, Always: true, Handle: p.getTelemetry,
			Doc: "Returns queue depths, threads, background tasks, processes, bus, read models, limits in use, " +
				"and counts of requests."},
		{Method: get, Pattern: "/metrics", Right: access.RightRead, Group: group, Query: of, Media: request.MediaText,
			Always: true, Handle: p.getMetrics,
			Doc: "Returns the same figures as text for Prometheus."},
		{Method: get, Pattern: "/api/warmup_status", Right: access.RightRead, Group: group, Gives: wire.StartupStatus{},
			Always: true, Handle: p.getStartupStatus,
			Doc: "Lists the pending, completed and failed tasks of the start."},
		{Method: get, Pattern: "/api/warmup_wait", Right: access.RightRead, Group: group, Gives: wire.StartupStatus{},
			Always: true, Handle: p.waitForStartup,
			Query: []request.Parameter{{Name: "timeout", Type: "number", Doc: "Seconds to wait, at most 300; default " +
				"30."}}, Doc: "The same, once the start has finished or the timeout has expired."},
		{Method: get, Pattern: "/api/warmup_canaries", Right: access.RightRead, Group: group, Gives: []wire.StartupTask{},
			Always: true, Handle: p.getStartupTasks,
			Doc: "Lists each task of the start with its times and its error."},
		{Method: post, Pattern: "/api/shutdown", Right: access.RightHuman, Group: group, Takes: shutdownRequest{},
			Gives: wire.ShutdownAnswer{}, Body: request.SmallBody, Always: true, Handle: p.postShutdown,
			Doc: "Stops the engine cleanly, after the answer; a gateway that runs alone stops only itself."},
	}
}
