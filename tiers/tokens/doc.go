// Package tokens computes an upper bound for the tokens of a prompt before a vendor has counted
// them. Budgets reserve that much.
//
// # Contract
//
//   - [Most] is the upper bound of a text, computed from its content.
//   - [Prompts] is a fold over the events of a session. The bound of a prompt
//     that continues an earlier one of the same model is the vendor's count of
//     the earlier one plus the bound of the new parts. So the bound is far above
//     the truth only for the first request of a conversation.
//   - Counts reported by a program, estimates, and counts that cannot cover the whole prompt
//     are ignored. If a vendor's count exceeds the bound, it is used, and the bounds for that
//     model are raised by the same ratio from then on.
//   - Texts in the blob store are not read: they count as one token per byte
//     until a vendor has counted them.
//
// The package is pure.
package tokens
