// Package policy holds rules that decisions, and the programs that act on them, must judge in the
// same way: which hosts an entry of [net] allow_hosts allows, and which files of a project steer
// programs.
//
// # Contract
//
//   - It is pure and has no tables except those of package chars, so that its
//     results are the same with every build. A change of its results needs a new
//     decision number.
//   - It has no settings: the caller passes what is allowed.
package policy
