// Package edit plans changes of Python source by structure: replace, add, remove and move
// definitions, replace signatures and variables, wrap regions.
//
// A [Source] is a decoded file that parses. Its methods are pure: they read the text and return either a
// [Change], whose splices the caller applies to the bytes of the file, or an [*Error], whose text tells a model
// what to do next. All other text stays the same byte for byte: splices are reduced to the bytes that differ.
//
// All methods follow these rules:
//
//   - A definition is found by its exact dotted path. If several share a path, "name#2" selects one; without a
//     number the edit is refused and the candidates are listed.
//   - A definition's own text is its decorators, everything from its keyword through its last statement, and the
//     rest of that last line. Comment lines directly above it belong to it when it is removed or moved; comment
//     lines after its last statement do not. Shebangs, encoding cookies, region markers and tool switches ("#
//     fmt: off") never belong to a definition.
//   - New text is re-indented for its new location, in that block's unit of indentation. Lines that begin inside
//     a string keep their bytes; continuation lines keep their offset from the line they continue.
//   - New lines take the line ends of the lines they replace, or of their neighbours.
//   - The result must parse; otherwise the change is refused.
//
// Of this project's packages, it imports only document, python and python/grammar. Fuzz targets and a comparison with
// CPython's ast over its standard library check these rules in tests.
package edit
