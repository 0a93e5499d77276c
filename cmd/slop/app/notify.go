package app

import (
	"os/exec"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/tools/sandbox"
)

// maxNotices limits the concurrent runs of the user's notification program.
const maxNotices = 4

// desktop returns the variables by which a program finds the user's desktop. A notification program gets these and
// the variables of scripts, so it sees no provider keys.
func desktop() []string {
	return []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}
}

// waitsForYou is the text of a notification about an ask.
func waitsForYou(ask events.AskRaised) string { return "waits for you: " + ask.Title }

// notifier returns a function that starts the user's program with a text as its last argument, or nil if no program
// is configured.
func notifier(g *site.Flags, to config.Notify) func(text string) {
	if len(to.Command) == 0 {
		return nil
	}
	running := make(chan struct{}, maxNotices)
	return func(text string) {
		select {
		case running <- struct{}{}:
		default: // it hangs
			return
		}
		args := append(to.Command[1:len(to.Command):len(to.Command)], text)
		cmd := exec.Command(to.Command[0], args...)
		cmd.Env = sandbox.Environment(sandbox.Environ{Allow: desktop()})
		if err := cmd.Start(); err != nil {
			<-running
			g.Logger().Warn("the program in [notify] command could not be started", "error", err)
			return
		}
		go func() {
			_ = cmd.Wait() // how it ends is its own business
			<-running
		}()
	}
}
