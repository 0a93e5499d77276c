// Package qa is the decider of tier 4: it has each failed shell call read by
// the cheapest model and turned into a hint of about twenty words.
//
// # Contract
//
// For every failed shell outcome that counts, qa ends with exactly one of
// HintGiven and HintSkipped; only a closed session goes without. Tier 4 sees
// the exit status and the end of the error output of that one call, has no
// tools, and keeps no memory. Nothing is sent for a ticket once it was killed.
package qa
