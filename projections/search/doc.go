// Package search is the full-text search over every session of a project. Its
// index is a read model like any other: if deleted, it is rebuilt.
//
// # Contract
//
//   - One document for each event that says anything to a reader: what its body
//     holds as text ([Text]), and its session, type, tier, ticket, tool and time.
//     Prompts are left out, as they repeat the rest, and so are digests, schemas
//     and views of files.
//   - The index stores how far it came: the sequence, the id of the event there,
//     and the version of what is indexed. One that is damaged, of another
//     version, or of another log is thrown away and built anew; damage is found
//     by checksums when the index is opened: of each segment, and, unless its
//     owner was killed, of the file that lists them.
//   - An [Index] has one owner at a time; the owner of the data folder is it. It
//     does not follow the log. A search has what is missing indexed, waits a
//     moment for it, and says how much it did not see. Without a search that
//     happens once many events are missing and none came for a while, or when
//     100,000 are missing; then the index rests between batches, so that writers
//     keep the processors.
//   - The index is open only while it is used: it is closed a minute after the
//     last search, and opened again by the next one.
//   - A hit whose event cannot be read says so; the others of its page are shown.
//   - The library syncs what it stores at the end of a batch and of a merge, and
//     has no option against it. Fewer and larger batches are fewer syncs.
//   - A query is parsed by this package alone ([Parse]) and never handed to the
//     library's own language: no regular expressions, no wildcards but the end
//     of a word, and limits on length, words and what a prefix stands for.
//   - Nothing here decides anything, and nothing waits for it.
//
// It is the only package that imports the search library.
package search
