// Package feed shows what happens in a session to clients that follow it live. One hub per session encodes every event
// once; a reader has a position in it ([Cursor]), a [Filter], and its own server-sent events ([SSE]). [Waiting] wakes
// requests when an event of their ask comes. The package writes nothing to the log and knows no routes.
package feed
