package chaos

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"manualslop/cmd/slop/app"
)

// TestMain makes this test binary the command slop of the processes it starts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"slop": slop, "now": now})
}

// now prints the time as a process of a run sees it.
func now() {
	ownClock()
	fmt.Println(time.Now().Unix())
}

// slop is main of cmd/slop.
func slop() {
	ownClock()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	code := app.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
