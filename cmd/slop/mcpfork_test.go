package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"manualslop/events"
	"manualslop/replay"
)

// mcpFork forks an exported session after each event of a call of an external tool, and verifies each fork with all
// servers off: mcpfork FILE. It prints how many forks there were and how many of them go on.
func mcpFork() {
	if err := forkExport(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "mcpfork:", err)
		os.Exit(1)
	}
}

func forkExport(ctx context.Context, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	file, err := replay.Import(ctx, in)
	if err != nil {
		return err
	}
	forks, settled, owing := 0, 0, 0
	for _, e := range file.Events {
		tool := ""
		switch p := e.Payload.(type) {
		case events.ToolRequested:
			tool = p.Tool
		case events.ToolApproved:
			tool = p.Tool
		case events.ToolSettled:
			tool = p.Tool
		}
		if !strings.HasPrefix(tool, events.ExternalToolPrefix) {
			continue
		}
		fork, err := replay.Fork(file.Events, e.Seq, replay.Branch{Session: "01FORK", Folder: "20260102_030405_fork"})
		if err != nil {
			return err
		}
		for i := range fork {
			fork[i].Seq, fork[i].Payload = uint64(i+1), nil // as a log stores it
		}
		forks++
		report, err := replay.Verify(fork, replay.Deciders()...)
		if err != nil && len(report.Owed) == 0 {
			return errors.Join(fmt.Errorf("the fork after %d", e.Seq), err)
		}
		if len(report.Owed) > 0 {
			owing++ // a decider was about to go on
		}
		state := replay.Rebuild(fork)
		if _, calls := state.Pending(); calls == 0 {
			settled++
		}
	}
	fmt.Printf("%d forks, %d without a call under way, %d owe a decision\n", forks, settled, owing)
	return nil
}
