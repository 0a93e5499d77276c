// Package policy holds what decisions and the programs that act on them must judge alike: which hosts
// an entry of [net] allow_hosts opens, and which files of a project steer programs.
//
// # Contract
//
//   - It is pure and has no tables of its own but those of package chars: a decision is the same
//     with every build. A change of what it answers needs a new decision number.
//   - It knows no settings: who allowed what is the caller's business.
package policy
