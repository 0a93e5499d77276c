// Package texttools lets a model that can only write text call our tools: the
// prompt describes them, and the calls are read from what the model writes.
//
// # Contract
//
//   - A call is a fenced block on lines of its own, whose info string is
//     tool_call and the mark of the conversation. It holds one JSON object with
//     exactly the members tool and args.
//   - Only the model's own text is read. A block without the mark, such as
//     one that the model copies from a file, counts as a malformed call and is
//     never run; so does everything else that starts like a call and is not a
//     valid one.
//   - [Mark] is a pure function of the beginning of a conversation. It does not
//     change while the conversation continues, so that its prompts share their
//     beginning, and no file or page that the model reads in it can contain the mark.
//   - Text around the blocks is the reply's text; blank lines next to a block
//     belong to the block.
package texttools
