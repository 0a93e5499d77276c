// Package search is the full-text search over all sessions of a project. Its index is a read model
// like any other: if deleted, it is rebuilt.
//
// # Contract
//
//   - Each event with text for a reader is one document: the text in its body
//     ([Text]), and its session, type, tier, ticket, tool and time. Prompts are
//     left out because they repeat other events; so are digests, schemas and
//     views of files.
//   - The index stores its position: the sequence and id of the last indexed
//     event, and the version of what is indexed. An index that is damaged, or of
//     another version or another log, is deleted and rebuilt. Damage is detected
//     by checksums when the index is opened: of each segment and, unless its
//     owner was killed, of the file that lists them.
//   - An [Index] has one owner at a time: the owner of the data folder. It does
//     not follow the log. A search asks for missing events to be indexed, waits a moment for
//     that, and reports how many events it did not see. Without a search, events are indexed
//     when many are missing and none arrived for a while, or when 100,000 are missing; the
//     index then pauses between batches, so that it does not slow down writers.
//   - The index is only open while it is used: it is closed a minute after the
//     last search, and opened again by the next one.
//   - A hit whose event cannot be read says so; the other hits are still shown.
//   - The library syncs its files at the end of each batch and merge, and this
//     cannot be disabled. So fewer, larger batches need fewer syncs.
//   - Queries are parsed by this package ([Parse]) and never passed to the
//     library's query language: there are no regular expressions and no wildcards
//     except at the end of a word, and length, words and prefixes are limited.
//   - Nothing here decides anything, and nothing waits for it.
//
// It is the only package that imports the search library.
package search
