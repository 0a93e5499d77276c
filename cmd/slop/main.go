// Command slop runs teams of AI models on a code base under a user's control.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"manualslop/cmd/slop/app"
)

func main() {
	stops := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		stops = append(stops, syscall.SIGHUP) // its terminal was closed
	}
	ctx, stop := signal.NotifyContext(context.Background(), stops...)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	code := app.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
