// Package cfamily reads and edits the structure of C and C++ without compiling.
//
// [Read] gives the definitions of a text: namespaces, classes, structs, unions, enums, typedefs,
// functions, methods, templates, prototypes, macros. It works in three steps over the same byte
// offsets, so every place it names is one of the original text:
//
//  1. A tokenizer splits the text; comments and directives fall out. Of a group of #if branches all
//     are kept when each is balanced and ends at a statement, else only one; #if 0 is dropped.
//  2. Macros that only annotate ([Macros]), learned from the #defines of the text and of its headers
//     with [Learn], fall out too; for macros nobody has seen, upper-case words in the places where
//     annotations stand.
//  3. A reader of declarations walks what is left. It skips function bodies by their braces, so
//     nothing inside can mislead it, and definitions inside of function bodies are not listed.
//
// [File.Cleaned] is the text of step 2 with blanks in place of all that fell out; tree-sitter reads
// it to see damage. [File.Update] replaces a definition, and refuses what would not balance, would
// damage the file, or would no longer define the name.
//
// Reading never fails and never panics; what is broken gives fewer or coarser symbols. Function
// bodies of macros (TEST(a, b) {…}) are listed under the macro's call.
package cfamily
