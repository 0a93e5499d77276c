// Package llmtest provides strict fakes of the vendors' model APIs: real HTTP servers on the
// loopback interface with real event streams, which reject what the real APIs reject and answer
// with scripted turns. It also has the test suite for all providers.
//
// # Use
//
// [Anthropic] (like [Gemini] and [OpenAI]) starts a server for a test; [Start] starts one without
// a testing.T. [Options] say what it answers: a list of [Turn]s, a function of the request, or a
// script file, which can so be played on every vendor's API.
//
// A [Fault] makes one turn go wrong; [Server.Cases] lists all faults with the kind of error that
// an adapter must return for each. [Conform] is the test suite; a provider's test calls it with a
// [Fixture].
//
// # A new wire
//
// Files NAME.go and NAME_*.go add a type that implements wire, a constructor, and a case in
// [Start]. The core handles turns, faults, gates, limits and the record of requests. The wire
// parses requests and rejects what its vendor rejects, writes the frames of a reply, and counts
// tokens with the vendor's cache, for which [prefixes] remembers what was cached.
//
// # Contract
//
//   - A refusal has the vendor's own status and body. Each has a test.
//   - Every failure repeats the key, so that tests catch an adapter that leaks
//     it.
//   - Four characters count as one token. Usage that a turn does not script is
//     counted with the cache's rules, so tests of caching are realistic.
//
// Behaviour of the real APIs that the documents named at the checks do not describe is not
// reproduced.
package llmtest
