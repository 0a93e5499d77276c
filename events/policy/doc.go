// Package policy holds what decisions and the programs that act on them must
// judge the same way: which hosts an entry of [net] allow_hosts opens, and
// which files of a project steer programs.
//
// # Contract
//
//   - It is pure and has no tables but those of package chars: a decision is the
//     same
//
// with every build. A change of its results needs a new decision number.
//   - It has no settings: the caller passes what is allowed.
package policy
