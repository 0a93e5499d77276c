package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// Limits of a front end's report.
const (
	// maxFrame is the largest valid figure of a report.
	maxFrame = 1e6
	// frontEndNameHint says which names are valid.
	frontEndNameHint = "Use 1 to 64 of A-Z a-z 0-9 _ and -, or leave it out."
)

// performanceAnswer is the body of GET /api/performance.
type performanceAnswer struct {
	Performance wire.Performance `json:"performance"`
}

func (p *Handlers) getPerformance(c *request.Call) error {
	return c.Reply(http.StatusOK, performanceAnswer{p.host.Performance()})
}

// postPerformance accepts the figures of an attached front end. They are passed on as a signal, which is never stored
// and is dropped when the front end stops reporting.
func (p *Handlers) postPerformance(c *request.Call) error {
	frame, wrong := readFrame(c.Body)
	if wrong != nil {
		return wrong
	}
	err := p.host.Report(c.Request.Context(), frame)
	if errors.Is(err, ErrFrontEnds) {
		return problem.New(http.StatusTooManyRequests, "too many front ends are reporting",
			"Stop one of them, or wait until its report expires.")
	}
	return c.Done(err)
}

// readFrame parses a report strictly: it rejects an impossible figure, so that a broken front end is noticed instead
// of shown.
func readFrame(body json.RawMessage) (wire.Frame, *problem.Problem) {
	var f wire.Frame
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if dec.Decode(&f) != nil {
		return f, problem.New(http.StatusBadRequest, "the body must be a front-end report",
			`Send {"fps": 59.9, "frame_time_ms": 16.7, "input_lag_ms": 8} (at least one of them), and "name" if there are several front ends.`)
	}
	if f.Name != "" && !events.ValidToken(f.Name) {
		return f, problem.New(http.StatusBadRequest, "name is not valid", frontEndNameHint)
	}
	figures := 0
	for _, v := range []*float64{f.FPS, f.FrameTimeMS, f.InputLagMS} {
		if v == nil {
			continue
		}
		figures++
		if !(*v >= 0 && *v <= maxFrame) {
			return f, problem.New(http.StatusBadRequest, "a figure is out of range", "Each figure must be from "+
				"0 to 1000000.")
		}
	}
	if figures == 0 {
		return f, problem.New(http.StatusBadRequest, "the report has no figures",
			"Send fps, frame_time_ms or input_lag_ms.")
	}
	return f, nil
}
