package eventstest_test

import (
	"testing"

	"manualslop/events"
	"manualslop/events/eventstest"
)

func TestMemoryIsALog(t *testing.T) {
	eventstest.TestLog(t, func(testing.TB) events.Log { return eventstest.NewMemory() })
}

func TestMemoryIsABlobStore(t *testing.T) {
	eventstest.TestBlobs(t, func(testing.TB) events.Blobs { return eventstest.NewMemory() })
}
