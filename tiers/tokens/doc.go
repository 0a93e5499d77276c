// Package tokens says how many tokens a prompt has at most, before a vendor has
// counted it. Budgets hold that much.
//
// # Contract
//
//   - [Most] is the bound of a text by what stands in it.
//   - [Prompts] is a fold over the events of a session. A prompt that goes on where
//     an earlier one of the same model ended has at most what the vendor counted of
//     that one, and the bound of what is new. So the bound is far above the truth
//     only for the first request of a conversation.
//   - A count by a program, an estimate, and one that cannot be of the whole prompt
//     are not believed. A vendor that counts more than the bound is believed at
//     once, and the bound is raised by as much for that model from then on.
//   - Texts that stand in the blob store are not read: they have a token a byte
//     until a vendor has counted them.
//
// The package is pure.
package tokens
