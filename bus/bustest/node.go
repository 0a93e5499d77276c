package bustest

import (
	"fmt"
	"io"
	"os"

	"github.com/nats-io/nats-server/v2/server"
)

// nodeConfig is the environment variable with the configuration file of a server that this test binary runs as.
const nodeConfig = "SLOP_TEST_NATS_CONFIG"

// Node makes this process a NATS server if it was started as a node of a [Cluster], and returns otherwise. A
// package with such tests calls it at the start of TestMain. The server ends with the process that started it.
func Node() {
	file := os.Getenv(nodeConfig)
	if file == "" {
		return
	}
	if err := serve(file); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
	os.Exit(0)
}

func serve(file string) error {
	opts, err := server.ProcessConfigFile(file)
	if err != nil {
		return err
	}
	opts.NoSigs = true
	s, err := server.NewServer(opts)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	s.Start()
	return nil
}
