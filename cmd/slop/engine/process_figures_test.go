package engine

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/program"
	"manualslop/hookgw/wire"
)

// dial is a clock that a test turns.
type dial struct{ now time.Time }

func (d *dial) read() time.Time { return d.now }

func testPanel() (*board, *dial) {
	d := &dial{now: time.Unix(1000, 0)}
	return newBoard(d.read), d
}

func told(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

func TestThePanelSumsTheProcessesOfTheProgram(t *testing.T) {
	t.Parallel()
	p, d := testPanel()
	worker := sample{ProcessFigures: wire.ProcessFigures{Host: "h", PID: 1, CPUPercent: 10, MemoryBytes: 100,
		HeapBytes: 10, Goroutines: 3, Threads: 2,
		Started: d.now.Add(-time.Minute), Sampled: d.now}}
	gateway := worker
	gateway.PID, gateway.Started, gateway.Log = 2, d.now.Add(-time.Second), &logFigures{EventsPerS: 5, Lag: 6, Waiting: 7}
	p.hear("worker-h-1", signalSample, told(t, worker))
	p.hear(events.ActorGateway, signalSample, told(t, gateway))
	p.hear(events.ActorGateway, signalSample, told(t, gateway))
	got := p.performance()
	require.Equal(t, 2, got.Processes)
	require.InDelta(t, 20, *got.CPUPercent, 0)
	require.EqualValues(t, 200, *got.MemoryBytes)
	require.EqualValues(t, 20, *got.HeapBytes)
	require.Equal(t, 6, *got.Goroutines)
	require.Equal(t, 4, *got.Threads)
	require.InDelta(t, 60, *got.UptimeS, 0)
	require.InDelta(t, 5, *got.EventsPerS, 0)
	require.EqualValues(t, 6, *got.ProjectionLag)
	require.EqualValues(t, 7, *got.QueueDepth)
	require.Nil(t, got.FPS)
	d.now = d.now.Add(signalLife + 1)
	require.Equal(t, wire.Performance{}, p.performance(), "who is silent is forgotten")
}

func TestAFrontEndIsForgottenWhenItStopsReporting(t *testing.T) {
	t.Parallel()
	p, d := testPanel()
	fps, frame := 60.0, 16.7
	p.hear("ada", signalFrame, told(t, wire.Frame{Name: "window", FPS: &fps, FrameTimeMS: &frame}))
	got := p.performance()
	require.Equal(t, []*float64{&fps, &frame, &frame, nil}, []*float64{got.FPS, got.FrameTimeMS, got.LastFrameTimeMS,
		got.InputLagMS})
	require.Equal(t, "window", *got.FrontEnd)
	d.now = d.now.Add(signalLife)
	require.Equal(t, []string{"window"}, p.reporting())
	d.now = d.now.Add(1)
	require.Nil(t, p.performance().FPS)
	require.Nil(t, p.performance().FrontEnd)
	require.Empty(t, p.reporting())
}

func TestOneFrontEndMoreThanAllowedIsRefused(t *testing.T) {
	t.Parallel()
	p, d := testPanel()
	fps := 60.0
	for i := range maxFrontEnds {
		require.NoError(t, p.report(wire.Frame{Name: "f" + strconv.Itoa(i), FPS: &fps}))
	}
	require.ErrorIs(t, p.report(wire.Frame{Name: "more", FPS: &fps}), program.ErrFrontEnds)
	require.NoError(t, p.report(wire.Frame{Name: "f0", FPS: &fps}), "one that is known goes on")
	d.now = d.now.Add(signalLife + 1)
	require.NoError(t, p.report(wire.Frame{Name: "more", FPS: &fps}))
}

func TestOneProcessMoreThanAllowedIsNotShown(t *testing.T) {
	t.Parallel()
	p, _ := testPanel()
	for i := range maxProcesses + 1 {
		p.hear("worker-h-1", signalSample, told(t, sample{ProcessFigures: wire.ProcessFigures{PID: i}}))
	}
	require.Len(t, p.all(), maxProcesses)
}

func TestHostileSignalsAreDropped(t *testing.T) {
	t.Parallel()
	p, _ := testPanel()
	for _, body := range []string{
		``, `null x`, `[]`, `{"cpu_percent":NaN}`, `{"cpu_percent":-1}`, `{"cpu_percent":1e10}`, `{"memory_bytes":-1}`,
		`{"memory_bytes":1125899906842624}`,
		`{"goroutines":-1}`, `{"pid":-1}`, `{"log":{"events_per_s":-1}}`, `{"host":"` + strings.Repeat("a", maxSampleBytes) +
			`"}`,
	} {
		p.hear("worker-h-1", signalSample, []byte(body))
	}
	p.hear("ada", signalSample, []byte(`{"pid":1}`))
	p.hear("agent-hooks", signalSample, []byte(`{"pid":1}`))
	for _, body := range []string{`{"fps":-1}`, `{"fps":1e10}`, `{"fps":1,"name":"a.b"}`, `{"fps":"1"}`} {
		p.hear("ada", signalFrame, []byte(body))
	}
	p.hear("worker-h-1", signalFrame, []byte(`{"fps":1}`))
	p.hear("conductor", signalFrame, []byte(`{"fps":1}`))
	require.Empty(t, p.all())
	require.Empty(t, p.reporting())
	p.hear("worker-h-1", signalSample, []byte(`{"name":"gateway","pid":1,"unknown":[1],"host":"`+strings.Repeat("h", 100)+
		`"}`))
	require.Len(t, p.all(), 1)
	require.Equal(t, "worker-h-1", p.all()[0].Name, "the subject says who it is, not the body")
	require.Len(t, p.all()[0].Host, 64)
}

func TestTheSamplerMeasuresThisProcess(t *testing.T) {
	t.Parallel()
	s := newSampler()
	var sum int
	for i := range 5_000_000 {
		sum += i * i
	}
	require.NotZero(t, sum)
	p, _ := s.sample()
	require.GreaterOrEqual(t, p.CPUPercent, 0.0)
	require.Greater(t, p.MemoryBytes, int64(1<<20))
	require.Positive(t, p.HeapBytes)
	require.Positive(t, p.Goroutines)
	require.Greater(t, ProcessorTime().Nanoseconds(), int64(0))
	look, err := OwnPerformance()(t.Context())
	require.NoError(t, err)
	require.Nil(t, look.FPS)
	require.Positive(t, look.MemoryBytes)
}

func BenchmarkSample(b *testing.B) {
	s := newSampler()
	for b.Loop() {
		s.sample()
	}
}

func TestTheStartIsRecordedTaskByTask(t *testing.T) {
	t.Parallel()
	errDown := errors.New("down")
	s := newStartTasks()
	s.expect("bus", "worker")
	require.NoError(t, s.Do("bus", func() error {
		require.Equal(t, wire.StartupRunning, s.list()[0].Status)
		return nil
	}))
	require.ErrorIs(t, s.Do("logs", func() error { return errDown }), errDown)
	got := s.list()
	require.Equal(t, []string{wire.StartupCompleted, wire.StartupPending, wire.StartupFailed}, []string{got[0].Status,
		got[1].Status, got[2].Status})
	require.Equal(t, "canary-3", got[2].CanaryID)
	require.Equal(t, errDown.Error(), *got[2].Error)
	require.NotNil(t, got[0].ElapsedMS)
	require.Nil(t, got[1].StartTS)
	select {
	case <-s.over:
		t.Fatal("the start is not over")
	default:
	}
	s.Finish()
	<-s.over
}
