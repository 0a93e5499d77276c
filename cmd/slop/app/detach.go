package app

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
)

// detachWait bounds how long a background engine may take to answer.
const detachWait = 15 * time.Second

// detach starts this command again in the background and returns when it answers.
func detach(ctx context.Context, g *site.Flags, p site.Place) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := p.Claim(); err != nil {
		return err
	}
	if _, err := site.FindEngine(p.Data); err == nil {
		return exit.Errorf(exit.Failed, "an engine runs on %s already", p.Data)
	}
	logPath := filepath.Join(p.Data, "run.log")
	logFile, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer logFile.Close()
	cmd := exec.Command(self, withoutDetach(os.Args[1:])...)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	background(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(detachWait)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-gone:
			return exit.Errorf(exit.Failed, "the background run ended at once (%v); see %s", err, logPath)
		case <-late:
			return errors.New("the background run does not answer; see " + logPath)
		case <-tick.C:
			if info, err := site.FindEngine(p.Data); err == nil && info.PID == cmd.Process.Pid {
				g.Printf("session %s runs in the background as process %d; its output goes to %s\nslop watch shows it, slop ask list what it asks\n", info.Session, info.PID, logPath)
				return nil
			}
		}
	}
}

// withoutDetach is the same command line for the process in the background,
// which waits for answers from elsewhere.
func withoutDetach(args []string) []string {
	var out []string
	for _, a := range args {
		if a != "--detach" && a != "--detach=true" {
			out = append(out, a)
		}
	}
	return append(out, "--wait")
}
