package app

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
)

// detachWait limits how long a background engine may take to become ready.
const detachWait = 15 * time.Second

// detach starts this command again in the background and returns when it is ready.
func detach(cmd *cobra.Command, g *site.Flags, p site.Place, goal []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := p.Claim(); err != nil {
		return err
	}
	if _, err := site.FindEngine(p.Data); err == nil {
		return exit.Errorf(exit.Failed, "an engine is already running on %s", p.Data)
	}
	logPath := filepath.Join(p.Data, "run.log")
	logFile, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer logFile.Close()
	run := exec.Command(self, inBackground(cmd, goal)...)
	run.Stdout, run.Stderr = logFile, logFile
	background(run)
	if err := run.Start(); err != nil {
		return err
	}
	gone := make(chan error, 1)
	go func() { gone <- run.Wait() }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(detachWait)
	for {
		select {
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		case err := <-gone:
			if err == nil {
				g.Printf("the background run has already ended; its output is in %s\n", logPath)
				return nil
			}
			return exit.Errorf(exit.Failed, "the background run ended at once (%v); see %s", err, logPath)
		case <-late:
			return errors.New("the background run is not responding; see " + logPath)
		case <-tick.C:
			if info, err := site.FindEngine(p.Data); err == nil && info.PID == run.Process.Pid {
				g.Printf("session %s runs in the background as process %d; its output goes to %s\nwatch it with slop watch, list "+
					"its asks with slop ask list\n", info.Session, info.PID, logPath)
				return nil
			}
		}
	}
}

// inBackground returns the command line of the background process, which waits for answers from elsewhere. It is
// built from the parsed flags rather than the typed text, since a flag has several spellings.
func inBackground(cmd *cobra.Command, goal []string) []string {
	args := []string{cmd.Name(), "--wait"}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "detach" && f.Name != "wait" {
			args = append(args, "--"+f.Name+"="+f.Value.String())
		}
	})
	return append(append(args, "--"), goal...)
}
