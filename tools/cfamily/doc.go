// Package cfamily reads and edits the structure of C and C++ without compiling.
//
// [Read] returns the definitions of a text: namespaces, classes, structs, unions, enums, typedefs, functions,
// methods, templates, prototypes, macros. It works in three steps that keep the byte offsets, so every position
// refers to the original text:
//
//  1. A tokenizer splits the text and removes comments and directives. The branches of an #if group
//     are all kept if each is balanced and ends at a statement; otherwise only one is. #if 0 is dropped.
//  2. Macros that only annotate ([Macros]) are removed too. They are learned with [Learn] from the
//     #defines of the text and of its headers. For unknown macros, upper-case words in the positions of
//     annotations are removed.
//  3. A reader of declarations processes the rest. It skips function bodies by their braces, so their
//     content cannot mislead it, and definitions inside function bodies are not listed.
//
// [File.Cleaned] is the text of step 2 with blanks in place of everything removed; tree-sitter reads it to find
// damage. [File.Update] replaces a definition. It rejects a change that would not balance, would damage the file,
// or would no longer define the name.
//
// Reading never fails and never panics; broken text yields fewer or coarser symbols. Function bodies after a
// macro call, such as TEST(a, b) {…}, are listed under the macro call.
package cfamily
