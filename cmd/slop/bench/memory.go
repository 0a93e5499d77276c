package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/site"
	"manualslop/hookgw/access"
	"manualslop/projections"
)

// idleTime is how long an engine is left idle before its memory is read: long enough to return what only its start
// needed.
const idleTime = 15 * time.Second

// memory measures the resident memory of an idle slop serve and its private part; medians of three.
func (b *runner) memory(ctx context.Context) ([]Result, error) {
	back, err := b.runCopy()
	defer back()
	if err != nil {
		return nil, err
	}
	var engines []int
	for range 3 {
		cmd, err := b.process("serve", "--json", "--project", b.dir(), "--listen", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		engines = append(engines, cmd.Process.Pid)
	}
	select {
	case <-time.After(idleTime):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var resident, own []float64
	for _, pid := range engines {
		all, err := memoryMiB(pid, "VmRSS")
		if err != nil {
			return nil, err
		}
		anonymous, err := memoryMiB(pid, "RssAnon")
		if err != nil {
			return nil, err
		}
		resident, own = append(resident, all), append(own, anonymous)
	}
	return []Result{
		{Name: "resident memory of an idle slop serve", Durability: bus.Sync, Unit: "MiB", Goal: 60,
			Value: median(resident), N: len(resident)},
		{Name: "of which its own, without file pages", Durability: bus.Sync, Unit: "MiB",
			Value: median(own), N: len(own)},
	}, nil
}

// Work that [bench.memoryAfterCalls] gives an engine within the default settings: 4 tickets at a time, at most 40
// rounds each.
const (
	memoryCalls  = 2000
	memoryRounds = 25 // of each ticket
	memoryRest   = 30 * time.Second
)

// memoryAfterCalls measures the resident memory of a slop serve after 2,000 calls of a scripted model's tickets, at
// once and 30 s later. With fewer calls it waits less.
func (b *runner) memoryAfterCalls(ctx context.Context) ([]Result, error) {
	project, scriptFile := b.dir(), filepath.Join(b.dir(), "model.jsonl")
	tickets := max(min(memoryCalls, b.n)/memoryRounds, 1)
	text := benchScript{goals: 1, tickets: tickets, rounds: memoryRounds + 1}.text()
	back, err := b.runCopy()
	defer back()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.WriteFile(scriptFile, []byte(text), 0o600), writeBenchFile(project, benchLines)); err != nil {
		return nil, err
	}
	cmd, err := b.process("serve", "--json", "--yes", "--script", scriptFile,
		"--project", project, "--listen", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if err := reachOver(ctx, project); err != nil {
		return nil, err
	}
	calls := tickets * memoryRounds
	rest := (memoryRest * time.Duration(calls) / memoryCalls).Round(time.Second)
	at := func(name string, goal float64) (Result, error) {
		held, err := memoryMiB(cmd.Process.Pid, "VmRSS")
		return Result{Name: fmt.Sprintf("resident memory of slop serve, %d calls%s", calls, name),
			Durability: bus.Sync, Unit: "MiB", Value: held, N: 1, Goal: goal}, err
	}
	first, err := at("", 0)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(rest):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	second, err := at(fmt.Sprintf(" and %v later", rest), 80)
	return []Result{first, second}, err
}

// reachOver submits a goal to the engine of a project over HTTP and waits until it is reached.
func reachOver(ctx context.Context, project string) error {
	info, err := site.FindEngine(filepath.Join(project, ".slop"))
	if err != nil {
		return err
	}
	client, err := client.NewAPIClient(info, access.RightHuman)
	if err != nil {
		return err
	}
	if _, err := client.PostGoal(ctx, "read"); err != nil {
		return err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		state, err := client.GetMMAStatus(ctx)
		if err != nil || state.MMAStatus == projections.Done {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// runCopy makes processes run a copy of this program until back is called. How many pages of a file are mapped depends
// on its layout in the system's cache, and a file fresh from the linker is cached in larger pieces.
func (b *runner) runCopy() (back func(), err error) {
	linked := b.self
	back = func() { b.self = linked }
	b.self = filepath.Join(b.dir(), filepath.Base(linked)) // a program may go by its name
	return back, copyProgram(linked, b.self)
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// memoryMiB returns a figure of a process's memory by its name in /proc/PID/status: VmRSS is the resident memory,
// RssAnon its part that no file backs.
func memoryMiB(pid int, name string) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("memory is read from /proc: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no %s", pid, name)
}
