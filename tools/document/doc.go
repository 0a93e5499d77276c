// Package document reads text files of any encoding and writes edits of them
// back without touching any other byte.
//
// A [Document] is decoded with [Decode], or with [DecodePython] for Python
// source, which may name its encoding itself. Edits are [Splice] values over
// the decoded text; [Document.Splice] carries them over to the bytes of the
// file: only what they replace is encoded again, everything else is copied, so
// that mixed line ends, invalid bytes and odd encodings survive by
// construction.
//
// Lines end at LF, CRLF or CR and nothing else, as in CPython and editors.
package document
