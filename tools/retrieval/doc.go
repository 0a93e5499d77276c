// Package retrieval finds the passages of a workspace's files that match a question.
//
// # Contract
//
//   - [Finder.Find] reads the files that tools may read, except those that .gitignore excludes, binary
//     and large ones, and cuts them into overlapping [Passage]s at line ends. It looks at the files again
//     each time, so a passage is never older than the question.
//   - Every text is masked before it is ranked, embedded or returned.
//   - Without an [Embedder], or if it fails, passages are ranked by the question's words (BM25). The
//     result says which way was used, and why.
//   - With one, a passage is embedded once for each model: its vector is kept in a [store] under the
//     digest of its text. A damaged store loses only the vectors from the damage on.
//   - Several processes may use one folder.
//
// Each limit is a constant whose comment gives the reason. The result counts what the limits leave out.
package retrieval
