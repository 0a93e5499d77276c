// Package snapshot encodes the state of a decider as bytes and decodes it.
//
// # Contract
//
//   - [Encode] takes a pointer to any state made of numbers, strings, times,
//     structs, pointers, slices, maps, and interfaces that hold payloads of
//     events. Unexported fields are included. Pointers and maps that are shared
//     are still shared after [Decode], and a cycle stays a cycle.
//   - A field with the tag `snapshot:"-"` is left out and has its zero value
//     afterwards. The state must recompute it from the other fields.
//   - Slices that start at the same element share their elements afterwards,
//     without spare capacity. In every other respect a slice is a value: a
//     pointer into one makes Encode fail.
//   - [Shape] returns a digest of the structure of a state. Bytes of another
//     shape must not be decoded. A caller stores the shape with the bytes,
//     together with anything else by which the states of two programs can differ.
//   - Decode trusts nothing: bytes that are not a state of this shape give an
//     error, and use no more memory than their length allows.
//   - [Digest] returns a digest of the value of a state, so that two states can
//     be compared.
package snapshot
