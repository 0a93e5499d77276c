// Package pricing holds the program's own table of models, and computes costs.
//
// # Contract
//
//   - Limits and prices are data: rows of [Table] with their date and source,
//     maintained by hand. Unconfirmed values are left out: a model without a
//     price has an unknown price, never a price of zero.
//   - A session records the table with which it began (events.ModelsOffered), with
//     the user's own rows in front. Decisions and sums use that record; the
//     table itself is only used for sessions that recorded none.
//   - Sums are exact: they are computed in pico-dollars and rounded only for
//     display. A sum too large for its type stays at the largest value.
package pricing
