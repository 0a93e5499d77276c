// Package inorder processes many items concurrently and delivers the results in the order of the items, with
// bounded memory.
package inorder

import (
	"context"
	"iter"
	"sync"
)

// slot is one item in progress.
type slot[In, Out any] struct {
	item In
	done chan outcome[Out] // receives the result without blocking
}

// outcome is a result, or the panic value of a call.
type outcome[Out any] struct {
	out      Out
	panicked any // nil if the call did not panic
}

// Do calls work for each item on the given number of goroutines, and calls consume with each result, one at a
// time, in the order of the items. Items are drawn on a separate goroutine. At most three times the number of
// workers are drawn and not yet consumed, so a slow consumer slows everything down.
//
// Do ends early with the error of consume or of the context; the context passed to work is then cancelled. A
// panic of work or items is passed on to the caller. When Do returns, all calls of work have returned, and no
// more items are drawn, unless items is currently waiting for its next item.
func Do[In, Out any](ctx context.Context, workers int, items iter.Seq[In], work func(context.Context, In) Out,
	consume func(Out) error) error {
	workers = max(workers, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan slot[In, Out], workers) // in the order of the items
	jobs := make(chan slot[In, Out], workers)
	go draw(ctx, items, queue, jobs)
	var busy sync.WaitGroup
	for range workers {
		busy.Go(func() {
			for s := range received(ctx, jobs) {
				s.done <- guarded(ctx, s.item, work)
			}
		})
	}
	panicked, err := collect(ctx, queue, consume)
	cancel()
	busy.Wait()
	if panicked != nil {
		panic(panicked)
	}
	return err
}

func guarded[In, Out any](ctx context.Context, item In, work func(context.Context, In) Out) (o outcome[Out]) {
	defer func() { o.panicked = recover() }()
	o.out = work(ctx, item)
	return o
}

// draw passes each item to the collector and to the workers.
func draw[In, Out any](ctx context.Context, items iter.Seq[In], queue, jobs chan<- slot[In, Out]) {
	defer close(queue)
	defer close(jobs)
	defer func() {
		if panicked := recover(); panicked != nil {
			s := slot[In, Out]{done: make(chan outcome[Out], 1)}
			s.done <- outcome[Out]{panicked: panicked}
			select {
			case queue <- s:
			case <-ctx.Done():
			}
		}
	}()
	for item := range items {
		s := slot[In, Out]{item: item, done: make(chan outcome[Out], 1)}
		select {
		case queue <- s:
		case <-ctx.Done():
			return
		}
		select {
		case jobs <- s:
		case <-ctx.Done():
			return
		}
	}
}

// received yields the values from a channel until it is closed or the context ends.
func received[T any](ctx context.Context, from <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for ctx.Err() == nil {
			select {
			case v, open := <-from:
				if !open || !yield(v) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func collect[In, Out any](ctx context.Context, queue <-chan slot[In, Out], consume func(Out) error) (panicked any,
	err error) {
	for s := range received(ctx, queue) {
		select {
		case o := <-s.done:
			if o.panicked != nil {
				return o.panicked, nil
			}
			if err := consume(o.out); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, ctx.Err()
}
