// Package feed shows what happens in a session to those who follow it live: one hub
// for each session encodes every event once, a reader has a place in it ([Cursor]), a
// [Filter], and its own server-sent events ([SSE]). [Waiting] wakes requests when an
// event of their ask comes. It writes nothing to the log and knows no route.
package feed
