// Package llmtest is the vendors' model APIs as strict fakes: real HTTP servers
// on the loopback interface with real event streams, which reject what the real
// ones reject and answer with scripted turns. It has one suite that every
// provider passes.
//
// # Use
//
// [Anthropic] (and its sisters, one for each wire) starts a server for a test;
// [Start] does it for a program's server without a testing.T. [Options] say
// what it answers: a list of [Turn]s, a function of what was asked, or the file
// of the scripted model, which so plays on every vendor's wire.
//
// A [Fault] is what goes wrong with one turn; [Server.Cases] lists all of them
// with the kind of error that an adapter must make of each. [Conform] is the
// suite; a provider's test calls it with a [Fixture].
//
// # A new wire
//
// Files NAME.go and NAME_*.go add a type that implements wire, a constructor,
// and a case in [Start]. The core gives turns, faults, gates, bounds and the
// record of requests; the wire gives reading with all of its vendor's refusals,
// the frames of a reply, and the count of tokens with the vendor's cache, for
// which [prefixes] remembers what was cached.
//
// # Contract
//
//   - A refusal is the vendor's own status and body. Each of them has a test.
//   - Every failure repeats the key, so that an adapter that lets it through is
//     caught.
//   - Four characters are a token; usage that a turn does not script is counted
//     with the cache's rules, so tests of caching are real.
//
// What the real APIs do beyond the documents that the checks name is not known
// here.
package llmtest
