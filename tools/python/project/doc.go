// Package project answers questions about all Python files of a project at once: which file an import
// means, where a name is used, what a class inherits, and who calls a function.
//
// # Use
//
// [New] takes files that were read already, so that the package touches no disk
// and is pure: the same files give the same answers. The questions are methods
// of [Project]: [Project.Usages], [Project.Hierarchy] and [Project.Calls].
// There is not an index that could be out of date: a question first looks which
// files mention a name as bytes, on all cores, and parses only these and what
// their imports lead to. What was parsed stays for the next question of the
// same Project.
//
// # What is known
//
// Names are bound by package grammar as Python binds them. Beyond one file the package follows
// imports (absolute, relative, of namespace packages and src layouts), aliases, re-exports through
// other modules, "import *" with __all__, base classes in the order of C3, self, cls and super(). Types
// of objects are known where that is simple: annotations, calls of classes, annotated or plain
// results of functions, with, and assignments to one name. The order of execution is not looked at: a
// name that is bound twice may be either.
//
// What is not known is said to be possible or unresolved, never guessed. Where an import could mean
// several folders, the nearest to the root of the importing file counts, then the shallowest.
//
// # Bounds
//
// Broken files take part as far as they parse. Chains of questions (imports of imports, types of types)
// end at fixed depths, lists at fixed lengths; every loop over files ends with its context.
//
// A Project may be asked by one goroutine at a time.
package project
