// Package pricing says what the tokens of a model cost.
//
// # Contract
//
//   - Prices are data: a row of [Table] with its date and its source. They are
//     never computed, and a model without a row has no known price.
//   - Sums are exact: they count in pico-dollars, the price of one token being a
//     whole number of them, and are rounded only where they are shown.
//   - A sum too large for its type stays at the largest value; it never turns over.
package pricing
