// Package project answers questions about all Python files of a project: which file an import refers to, where a
// name is used, what a class inherits, and what calls a function.
//
// # Use
//
// [New] takes files that were already read, so the package does no I/O and is pure: the same files give the same
// answers. The questions are methods of [Project]: [Project.Usages], [Project.Hierarchy], [Project.Calls] and
// [Project.Rename]. There is no index that could become stale: a question first searches the bytes of all files for
// the name, on all cores, and parses only the files that contain it and those reached through their imports. Parsed
// files are kept for the next question to the same Project.
//
// # How names are resolved
//
// Package grammar binds names as Python binds them. Across files, this package follows imports (absolute,
// relative, of namespace packages and src layouts), aliases, re-exports through other modules, "import *" with
// __all__, base classes in C3 order, self, cls and super(). It knows the types of objects in simple cases:
// annotations, calls of classes, annotated or plain function results, with, and assignments to one name. It
// ignores the order of execution: a name that is bound twice may have either value.
//
// Anything else is reported as possible or unresolved, never guessed. If an import could refer to several
// folders, the one nearest to the root of the importing file is chosen, then the shallowest.
//
// # Bounds
//
// Broken files are covered as far as they parse. Chains of lookups (imports of imports, types of types) end at
// fixed depths and lists at fixed lengths. Every loop over files stops when its context ends.
//
// A Project is not safe for concurrent use.
package project
