package hookgw_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/hookgw/access"
)

// TestAfterAWriteEveryConnectionReadsIt writes on one connection while others
// read all the time, so that shared views are made anew at every moment; what
// was answered is in the next read of each of them.
func TestAfterAWriteEveryConnectionReadsIt(t *testing.T) {
	t.Parallel()
	readers, writes := 8, 6
	if os.Getenv("SLOP_LOAD") == "full" {
		readers, writes = 64, 40
	}
	f := open(t)
	stop := make(chan struct{})
	var busy sync.WaitGroup
	for range readers {
		busy.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					f.get("/api/gui/state", access.RightRead)
				}
			}
		})
	}
	for n := range writes {
		mark := fmt.Sprintf("mark-%d", n)
		f.says("/api/gui", `{"action":"set_value","item":"ai_input","value":"`+mark+`"}`, http.StatusOK)
		f.says("/api/project", `{"project":{"project":{"name":"`+mark+`"}}}`, http.StatusOK)
		f.says("/api/session", `{"session":{"entries":[{"role":"User","content":"`+mark+`"}]}}`, http.StatusOK)
		var all sync.WaitGroup
		for range readers {
			for _, path := range []string{"/api/gui/state", "/api/project", "/api/session", "/api/gui/value/ai_input",
				"/api/gui", "/api/context/state"} {
				all.Go(func() {
					a := f.get(path, access.RightRead)
					if !json.Valid(a.body) || path != "/api/context/state" && !bytes.Contains(a.body, []byte(mark)) {
						t.Errorf("%s after a write does not show %s: %.300s", path, mark, a.body)
					}
				})
			}
		}
		all.Wait()
	}
	close(stop)
	busy.Wait()
	require.False(t, t.Failed())
}
