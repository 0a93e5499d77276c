// Package eventstest holds helpers for tests of logs and their users: a log in memory ([Memory]),
// the test suites that every events.Log and events.Blobs must pass ([TestLog], [TestBlobs]), and
// helpers that wait for events instead of sleeping ([Expect]).
package eventstest
