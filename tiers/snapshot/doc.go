// Package snapshot writes the state of a decider as bytes and reads it back.
//
// # Contract
//
//   - [Encode] takes a pointer to any state made of numbers, strings, times,
//     structs, pointers, slices, maps, and interfaces that hold payloads of
//     events. Unexported fields count. A pointer that is in two places is one
//     pointer after [Decode], and so is a map; a cycle stays a cycle.
//   - A field with the tag `snapshot:"-"` is left out and is zero afterwards: it
//     can be made again from the others, and the state does so when it is zero.
//   - Slices that begin at the same element share their elements afterwards,
//     with no room to grow in place. A slice is a value in every other respect:
//     a pointer into one is an error of Encode, not a copy.
//   - [Shape] names the structure of a state by a digest. Bytes of another shape
//     must not be decoded; a caller stores the shape beside them, and what else
//     makes states of two programs differ.
//   - Decode trusts nothing: bytes that are no state of this shape are an error,
//     and take no more memory than their length allows.
//   - [Digest] names the value of a state, so that two states can be compared.
package snapshot
