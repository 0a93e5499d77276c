package bus

import (
	"context"
	"os"
	"time"
)

// verifyPause lies between two blocks that are verified beside the work: one has
// up to 8 MiB and takes some 10 ms.
const verifyPause = 500 * time.Millisecond

// verifyOlder reads the blocks that the survey left out because an orderly stop
// gave no reason for doubt, one after the other, and logs damage. Nothing is
// written to them any more.
func (s *Server) verifyOlder(ctx context.Context, before *survey) {
	for _, name := range []string{StreamEvents, streamBlobs} {
		var scan streamScan
		if name == StreamEvents {
			scan.next = 1
		}
		for _, f := range before.scan[name].skipped {
			if pause(ctx, verifyPause); ctx.Err() != nil {
				return
			}
			what := ""
			body, err := os.ReadFile(f.path)
			if err != nil {
				what = err.Error()
			} else if scan.scanBlock(f, name, body, false); scan.damage != nil {
				what = scan.damage.String()
			}
			if what != "" {
				s.log.Error("the store is damaged; `slop doctor` says more", "error", before.damage(name, what))
				break
			}
		}
	}
}

// watch begins what the server does beside its work until it is closed.
func (s *Server) watch(ctx context.Context, before *survey) {
	ctx, s.unwatch = context.WithCancel(context.WithoutCancel(ctx))
	s.watching.Go(func() { s.watchRoom(ctx) })
	s.watching.Go(func() { s.verifyOlder(ctx, before) })
}
