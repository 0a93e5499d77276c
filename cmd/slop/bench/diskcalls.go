package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/trace"
	"slices"
	"strings"

	exptrace "golang.org/x/exp/trace"
)

// diskCalls counts the disk calls of this process by the part that made them. The counts come from a trace of the Go
// runtime, which holds each system call with its stack. They are exact, need no privileges and no other program, and
// slow the process only a little.
type diskCalls struct {
	// Syncs are fsync and fdatasync, and writes to files that are opened to sync
	// each write.
	Syncs map[string]int
	Opens map[string]int // of files and folders
	// Flushes are the fsync and fdatasync of all parts: what strace counts.
	Flushes int
}

// Parts of an engine that use the disk.
const (
	partLog       = "the log" // streams: events, key-value buckets, blobs
	partConsumers = "the consumers' state"
	partGuard     = "the guard of the store"
	partLogs      = "the session logs"
	partIndex     = "the search index"
	partTools     = "tools"
	partRest      = "everything else"
)

// parts are the prefixes of function names by which a stack shows which part made the call. The first that is anywhere
// in the stack counts.
var parts = []struct{ prefix, part string }{
	{"github.com/nats-io/nats-server/v2/server.(*consumerFileStore)", partConsumers},
	{"github.com/nats-io/nats-server/v2/server.(*fileStore)", partLog},
	{"github.com/nats-io/nats-server/v2/server.(*msgBlock)", partLog},
	{"manualslop/bus.(*guard)", partGuard},
	{"manualslop/bus.(*Server)", partGuard},
	{"manualslop/projections/sessionlog.", partLogs},
	{"github.com/blevesearch/", partIndex},
	{"manualslop/projections/search.", partIndex},
	{"manualslop/tools", partTools},
}

// sum returns the calls of all parts.
func sum(calls map[string]int) int {
	n := 0
	for _, c := range calls {
		n += c
	}
	return n
}

// countDiskCalls counts the calls of this process while do runs. It fails if a trace is already running.
func countDiskCalls(do func() error) (diskCalls, error) {
	file, err := os.CreateTemp("", "slop-trace-*")
	if err != nil {
		return diskCalls{}, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if err := trace.Start(file); err != nil {
		return diskCalls{}, fmt.Errorf("count disk calls: %w", err)
	}
	err = do()
	trace.Stop()
	if err != nil {
		return diskCalls{}, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return diskCalls{}, err
	}
	return readDiskCalls(bufio.NewReaderSize(file, 1<<20))
}

// readDiskCalls counts the calls in a trace.
func readDiskCalls(r io.Reader) (diskCalls, error) {
	c := diskCalls{Syncs: map[string]int{}, Opens: map[string]int{}}
	in, err := exptrace.NewReader(r)
	if err != nil {
		return c, fmt.Errorf("read the trace: %w", err)
	}
	for {
		e, err := in.ReadEvent()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return c, fmt.Errorf("read the trace: %w", err)
		}
		if e.Kind() != exptrace.EventStateTransition {
			continue
		}
		change := e.StateTransition()
		if change.Resource.Kind != exptrace.ResourceGoroutine {
			continue
		}
		if _, to := change.Goroutine(); to == exptrace.GoSyscall {
			c.take(e.Stack())
		}
	}
}

// take counts one system call by its stack, which begins at the call.
func (c *diskCalls) take(stack exptrace.Stack) {
	var calls []string
	for f := range stack.Frames() {
		calls = append(calls, f.Func)
	}
	if len(calls) == 0 {
		return
	}
	switch calls[0] {
	case "syscall.Fsync", "syscall.Fdatasync", "golang.org/x/sys/unix.Fsync", "golang.org/x/sys/unix.Fdatasync":
		c.Flushes++
		c.Syncs[partOf(calls)]++
		if slices.ContainsFunc(calls, func(f string) bool { return strings.HasSuffix(f, "server.syncDir") }) &&
			slices.ContainsFunc(calls, func(f string) bool { return strings.HasSuffix(f, "server.writeAtomicallyWithTemp") }) {
			c.Syncs[partOf(calls)]++ // the server wrote a file with O_SYNC and syncs its folder afterwards
		}
	case "syscall.openat", "syscall.Openat", "syscall.Open",
		"internal/syscall/unix.Openat", "golang.org/x/sys/unix.Openat":
		c.Opens[partOf(calls)]++
	}
}

func partOf(calls []string) string {
	for _, p := range parts {
		if slices.ContainsFunc(calls, func(f string) bool { return strings.HasPrefix(f, p.prefix) }) {
			return p.part
		}
	}
	return partRest
}
