package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// startTimeout is the default limit of a start; see Definition.StartMS.
const startTimeout = 30 * time.Second

func (s *session) Start(ctx context.Context) error {
	_, err := s.connected(ctx)
	return err
}

// alone waits until nothing else creates or closes the connection, and excludes others until free is called.
func (s *session) alone(ctx context.Context) (free func(), err error) {
	select {
	case s.starting <- struct{}{}:
		return func() { <-s.starting }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// connected returns the current connection, or creates one after the required wait; see [restarts].
func (s *session) connected(ctx context.Context) (*connection, error) {
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	if now != nil {
		return now, nil
	}
	free, err := s.alone(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	s.mu.Lock()
	if s.now != nil {
		defer s.mu.Unlock()
		return s.now, nil
	}
	wait, may := s.restarts.wait(time.Now())
	if !may {
		defer s.mu.Unlock()
		return nil, fmt.Errorf(`MCP server %s failed %d times in %v and will not be restarted; run "slop mcp restart %s": %w`,
			s.definition.Name, maxFailures, failureWindow, s.definition.Name, s.err)
	}
	if s.stopped == nil {
		s.stopped = make(chan struct{})
	}
	stopped := s.stopped
	s.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.connect(ctx, stopped)
}

// connect creates a connection. Only one call runs at a time.
func (s *session) connect(ctx context.Context, stopped chan struct{}) (*connection, error) {
	s.mu.Lock()
	s.set(Starting, nil, nil)
	s.mu.Unlock()
	limit := cmp.Or(time.Duration(s.definition.StartMS)*time.Millisecond, startTimeout)
	if s.definition.OAuth != nil && s.around.OpenURL != nil {
		limit = max(limit, hardTimeout) // includes the time in which a user grants access
	}
	// An SSE connection lasts as long as its context.
	lasting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	released := context.AfterFunc(ctx, func() { cancel(ctx.Err()) })
	timer := time.AfterFunc(limit, func() {
		cancel(fmt.Errorf("it did not start within %v: %w", limit, context.DeadlineExceeded))
	})
	c := newConnection(s)
	made, err := s.dial(lasting, c)
	timer.Stop()
	released()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if lasting.Err() != nil {
			err = errors.Join(context.Cause(lasting), err)
		}
		cancel(nil)
		err = fmt.Errorf("start MCP server %s: %w", s.definition.Name, err)
		if ctx.Err() == nil {
			s.restarts.failed(time.Now())
		}
		s.set(Failed, nil, err)
		return nil, err
	}
	c.ClientSession = made
	s.revision = made.InitializeResult().ProtocolVersion
	s.restarts.began(time.Now())
	s.set(Running, c, nil)
	go func() {
		c.listen() // before the first call, which waits for the tools
		c.readTools()
	}()
	if len(s.subscriptions) > 0 {
		go s.subscribeAgain(c)
	}
	go func() {
		err := made.Wait()
		cancel(nil)
		s.lost(c, err, stopped)
	}()
	return c, nil
}

// lost records that a connection ended. If the server is a program, it is started again.
func (s *session) lost(c *connection, err error, stopped chan struct{}) {
	s.mu.Lock()
	was := s.now == c
	if was {
		s.restarts.failed(time.Now())
		s.set(Failed, nil, errors.Join(errors.New("the connection ended"), err))
	}
	s.mu.Unlock()
	c.end() // who waits for it gets another connection
	if !was {
		return
	}
	if s.definition.Type != Stdio {
		return // the next call reconnects
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-stopped:
			cancel()
		case <-ctx.Done():
		}
	}()
	defer cancel()
	for ctx.Err() == nil {
		_, err := s.connected(ctx)
		s.mu.Lock()
		_, again := s.restarts.wait(time.Now())
		s.mu.Unlock()
		if err == nil || !again {
			return
		}
	}
}

// Restart stops the server, clears its failures and starts it.
func (s *session) Restart(ctx context.Context) error {
	err := s.Stop()
	s.mu.Lock()
	s.restarts = restarts{}
	s.mu.Unlock()
	return errors.Join(err, s.Start(ctx))
}

func (s *session) Stop() error {
	s.mu.Lock()
	if s.stopped != nil {
		close(s.stopped)
		s.stopped = nil
	}
	s.mu.Unlock()
	free, err := s.alone(context.Background())
	if err != nil {
		return err
	}
	defer free()
	s.mu.Lock()
	now := s.now
	if s.state != "" {
		s.set(Idle, nil, nil)
	}
	s.mu.Unlock()
	if now == nil {
		return nil
	}
	err = now.Close()
	now.end()
	return err
}
