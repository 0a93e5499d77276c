package bus

import (
	"context"
	"fmt"
	"time"
)

// clockBehind is how far the clock may be behind the newest event before that is
// remarked on.
const clockBehind = time.Second

// remarkClock says where the clock was set back while nothing ran.
func (s *Server) remarkClock(ctx context.Context, before *survey) error {
	info, err := s.admin.stream(ctx, StreamEvents)
	if err != nil {
		return fmt.Errorf("time of the newest event: %w", err)
	}
	if behind := time.Until(info.State.LastTime); behind > clockBehind {
		before.remark("the clock is %v behind the newest event; was it set back?", behind.Round(time.Second))
	}
	return nil
}
