package hookclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"manualslop/events"
	"manualslop/projections"
)

// pollPause is the time between two polls.
const pollPause = 100 * time.Millisecond

// WaitForServer waits until the gateway answers GET /status; the pause between attempts doubles from RetryDelay. It
// returns ErrTimeout, with the last failure, after timeout; zero or less means 3 seconds.
func (c *Client) WaitForServer(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := limit(ctx, timeout, 3*time.Second)
	defer cancel()
	for attempt := 0; ; attempt++ {
		raw, err := c.try(ctx, request{method: http.MethodGet, path: "/status", patience: headTimeout})
		if err == nil {
			return decode(raw, &Status{})
		}
		if sleep(ctx, c.wait(attempt)) != nil {
			return late(ctx, "wait for the gateway at "+c.base.Host, err)
		}
	}
}

// WaitForEvent reads the queue until an event of the given type arrives, and returns it. As in Manual Slop, other
// events that arrive with it are dropped. It returns ErrTimeout after timeout; zero or less means 5 seconds.
func (c *Client) WaitForEvent(ctx context.Context, eventType string, timeout time.Duration) (Event, error) {
	ctx, cancel := limit(ctx, timeout, 5*time.Second)
	defer cancel()
	for {
		got, err := c.GetEvents(ctx)
		if err != nil && ctx.Err() == nil {
			return Event{}, err
		}
		for _, e := range got {
			if e.Type == eventType {
				return e, nil
			}
		}
		if sleep(ctx, pollPause) != nil {
			return Event{}, late(ctx, "wait for an event "+eventType, err)
		}
	}
}

// WaitForValue reads a field until it equals expected, as JSON. It returns ErrTimeout after timeout; zero or less
// means 5 seconds.
func (c *Client) WaitForValue(ctx context.Context, item string, expected any, timeout time.Duration) error {
	want, err := canonical(expected)
	if err != nil {
		return fmt.Errorf("encode the expected value: %w", err)
	}
	ctx, cancel := limit(ctx, timeout, 5*time.Second)
	defer cancel()
	for {
		have, err := c.GetValue(ctx, item)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if plain, cerr := canonical(have); err == nil && cerr == nil && bytes.Equal(plain, want) {
			return nil
		}
		if sleep(ctx, pollPause) != nil {
			return late(ctx, fmt.Sprintf("wait for the value %s of %s", want, item), err)
		}
	}
}

// canonical encodes a value so that equal ones give equal bytes.
func canonical(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return events.Canonical(raw)
}

// limit bounds ctx by timeout, or by the default if timeout is zero or less.
func limit(ctx context.Context, timeout, none time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		timeout = none
	}
	return context.WithTimeoutCause(ctx, timeout, ErrTimeout)
}

// late distinguishes the end of the caller's context from a timeout.
func late(ctx context.Context, what string, last error) error {
	if context.Cause(ctx) != ErrTimeout {
		return context.Cause(ctx)
	}
	if last != nil && !errors.Is(last, ctx.Err()) {
		return fmt.Errorf("%s: %w: %w", what, ErrTimeout, last)
	}
	return fmt.Errorf("%s: %w", what, ErrTimeout)
}

// GetProjectSwitchStatus reads the state of a switch to another project.
func (c *Client) GetProjectSwitchStatus(ctx context.Context) (projections.ProjectSwitch, error) {
	return read[projections.ProjectSwitch](ctx, c, "/api/project_switch_status", nil)
}

// WaitForProjectSwitch waits until no switch is in progress and returns how the last one ended. It returns ErrTimeout
// after timeout; zero or less means 5 seconds.
func (c *Client) WaitForProjectSwitch(ctx context.Context, timeout time.Duration) (projections.ProjectSwitch, error) {
	ctx, cancel := limit(ctx, timeout, 5*time.Second)
	defer cancel()
	for {
		got, err := c.GetProjectSwitchStatus(ctx)
		if err != nil && ctx.Err() == nil || err == nil && !got.InProgress {
			return got, err
		}
		if sleep(ctx, pollPause) != nil {
			return got, late(ctx, "wait for the end of the switch", err)
		}
	}
}
