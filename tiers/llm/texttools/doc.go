// Package texttools lets a model that can only write text call our tools: the
// prompt describes them, and the calls are read from what the model writes.
//
// # Contract
//
//   - A call is a fenced block of its own lines, whose info string is tool_call
//     and the mark of the conversation, around one JSON object with the members
//     tool and args and no other.
//   - Only the model's own words are read. A block without the mark, such as
//     one that the model copies from a file, is a call that is answered as
//     malformed and never run, and so is everything else that begins as a call
//     and is none.
//   - [Mark] is a pure function of the beginning of a conversation: it stays
//     while the conversation goes on, so that its prompts share their beginning,
//     and no file or page that is read in it can know it.
//   - Text around the blocks is the reply's text; blank lines next to a block
//     belong to the block.
package texttools
