package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"manualslop/hookgw/wire"
)

// StartTasks records the tasks by which a process gets ready.
type StartTasks struct {
	name  string // the command that started the process
	begun time.Time
	over  chan struct{}

	mu    sync.Mutex
	tasks []wire.StartupTask
}

func newStartTasks() *StartTasks {
	return &StartTasks{name: filepath.Base(os.Args[0]), begun: time.Now(), over: make(chan struct{})}
}

// expect submits tasks that will begin later.
func (s *StartTasks) expect(modules ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range modules {
		s.submit(m)
	}
}

// submit adds a task and returns its index; s.mu is held.
func (s *StartTasks) submit(module string) int {
	s.tasks = append(s.tasks, wire.StartupTask{
		CanaryID: "canary-" + strconv.Itoa(len(s.tasks)+1), Module: module, ThreadName: s.name, ThreadID: os.Getpid(),
		SubmitTS: epoch(time.Now()), Status: wire.StartupPending,
	})
	return len(s.tasks) - 1
}

// Do runs a task, submitted before or now, and records its outcome.
func (s *StartTasks) Do(module string, task func() error) error {
	at := s.begin(module)
	err := task()
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.tasks[at]
	end := epoch(time.Now())
	elapsed := 1000 * (end - *t.StartTS)
	t.EndTS, t.ElapsedMS, t.Status = &end, &elapsed, wire.StartupCompleted
	if err != nil {
		why := err.Error()
		t.Status, t.Error = wire.StartupFailed, &why
	}
	return err
}

func (s *StartTasks) begin(module string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.tasks, func(t wire.StartupTask) bool {
		return t.Module == module && t.Status == wire.StartupPending
	})
	if at < 0 {
		at = s.submit(module)
	}
	now := epoch(time.Now())
	s.tasks[at].StartTS, s.tasks[at].Status = &now, wire.StartupRunning
	return at
}

// Finish marks the start as finished. Call it once.
func (s *StartTasks) Finish() { close(s.over) }

func (s *StartTasks) list() []wire.StartupTask {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tasks)
}

// epoch returns a time in seconds since 1970.
func epoch(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
