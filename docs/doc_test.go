// Package docs_test holds the rules of the house that are tests: who may import whom, what
// pure code may not touch, which names and folders exist, and that generated pages and the
// table of dependencies are true. They look at the source of the whole module and need only
// the go command.
//
// A rule that fails says the file, the line and why the rule exists. A package that a rule
// names and that does not exist yet is logged, not failed.
package docs_test
