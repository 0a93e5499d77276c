// Package edit plans changes of Python source by structure: replace, add, remove and move
// definitions, replace signatures and variables, wrap regions.
//
// A [Source] is a decoded file that parses. Its methods are pure: they read the text, touch nothing,
// and give a [Change] whose splices the caller carries over to the bytes of the file, or an [*Error]
// whose text tells a model what to do next. What a change does not mean to touch stays byte for byte:
// splices are cut down to what really differs.
//
// Rules that hold for all of them:
//
//   - A definition is found by its exact dotted path. Of several with one path one is chosen as
//     "name#2"; without a number the edit is refused and the candidates are listed.
//   - A definition's own text is its decorators, the keyword through its last statement, and what
//     else stands on that last line. Comment lines directly above it belong to it when it is removed
//     or moved; comment lines behind its last statement do not. Shebangs, encoding cookies, region
//     markers and switches of tools ("# fmt: off") never belong to a definition.
//   - New text is re-indented to its place in the unit that the place uses. Lines that begin inside
//     a string keep their bytes, continuation lines keep their distance to the line they continue.
//   - New lines take the line ends of the lines they replace, or of their neighbours.
//   - The result must parse, else the change is refused.
//
// It imports document and python and nothing else of the project. Fuzz targets and a comparison with
// CPython's ast over its standard library hold these rules in tests.
package edit
