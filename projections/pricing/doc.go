// Package pricing is the program's own table of models, and computes costs.
//
// # Contract
//
//   - Limits and prices are data: rows of [Table] with their day and their
//
// source, maintained manually. Unconfirmed values are left out: a model
//
//	  without a price has an unknown price, never one of zero.
//	- A session records the table that it began with (events.ModelsOffered), with
//	  the person's own rows in front; whoever decides or sums reads that record.
//	  The table itself counts only for sessions that recorded none.
//	- Sums are exact: they count in pico-dollars and are rounded only where they
//	  are shown. A sum too large for its type stays at the largest value.
package pricing
