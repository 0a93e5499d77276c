// Package document reads text files of any encoding and writes edits back without touching any other byte.
//
// A [Document] is decoded with [Decode], or with [DecodePython] for Python source, which may declare its
// encoding. Edits are [Splice] values on the decoded text. [Document.Splice] applies them to the bytes of the
// file: only replaced text is encoded again, and everything else is copied, so mixed line ends, invalid bytes and
// odd encodings are preserved.
//
// Only LF, CRLF and CR end a line, as in CPython and editors.
package document
