package program

import (
	"net/http"
	"strconv"
	"time"

	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// Limits of GET /api/warmup_wait.
const (
	defaultStartupWait = 30 * time.Second
	maxStartupWait     = 5 * time.Minute
)

func (p *Handlers) startupStatus() wire.StartupStatus {
	out := wire.StartupStatus{Pending: []string{}, Completed: []string{}, Failed: []string{}, Running: []string{}}
	select {
	case <-p.host.Started():
		out.Done = true
	default:
	}
	begun, ended := 0.0, 0.0
	for i, t := range p.host.Startup() {
		if i == 0 || t.SubmitTS < begun {
			begun = t.SubmitTS
		}
		if t.EndTS != nil {
			ended = max(ended, *t.EndTS)
		}
		switch t.Status {
		case wire.StartupCompleted:
			out.Completed = append(out.Completed, t.Module)
		case wire.StartupFailed:
			out.Failed = append(out.Failed, t.Module)
		case wire.StartupRunning:
			out.Running = append(out.Running, t.Module)
			out.Pending = append(out.Pending, t.Module)
		default:
			out.Pending = append(out.Pending, t.Module)
		}
	}
	out.ElapsedMS = max(0, 1000*(ended-begun))
	return out
}

func (p *Handlers) getStartupStatus(c *request.Call) error {
	return c.Reply(http.StatusOK, p.startupStatus())
}

// waitForStartup answers with the status once the start has finished or the timeout has expired.
func (p *Handlers) waitForStartup(c *request.Call) error {
	wait, wrong := startupWait(c.Query().Get("timeout"))
	if wrong != nil {
		return wrong
	}
	if err := request.ClearReadDeadline(c.Response); err != nil {
		return err
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-p.host.Started():
	case <-late.C:
	case <-c.Core.Stopping:
	case <-c.Request.Context().Done():
		return c.Request.Context().Err()
	}
	return p.getStartupStatus(c)
}

func startupWait(given string) (time.Duration, *problem.Problem) {
	if given == "" {
		return defaultStartupWait, nil
	}
	seconds, err := strconv.ParseFloat(given, 64)
	if err != nil || !(seconds >= 0 && seconds <= maxStartupWait.Seconds()) {
		return 0, problem.New(http.StatusBadRequest, "timeout is out of range", "Send ?timeout= in seconds, from 0 to "+
			strconv.Itoa(int(maxStartupWait.Seconds()))+".")
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// getStartupTasks lists the tasks of the start, each with its times.
func (p *Handlers) getStartupTasks(c *request.Call) error {
	tasks := p.host.Startup()
	if tasks == nil {
		tasks = []wire.StartupTask{}
	}
	return c.Reply(http.StatusOK, tasks)
}
