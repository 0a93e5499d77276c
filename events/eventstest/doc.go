// Package eventstest holds what tests of logs and of their users need: a log
// in memory ([Memory]), the conformance suites that every events.Log and
// events.Blobs passes ([TestLog], [TestBlobs]), and helpers that wait on facts
// instead of on time ([Expect]).
package eventstest
