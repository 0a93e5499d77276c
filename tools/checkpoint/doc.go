// Package checkpoint determines what a script changed in a workspace, and keeps the previous contents of the
// changed files.
//
// # Contract
//
//   - A [State] is taken before and after a script. The differences are the script's changes, and the old
//     contents can be read until the state is released.
//   - Contents are copied to a folder of the engine. Version control is neither read nor changed, and every file
//     is read through the sandbox, so files that tools may not read are never copied.
//   - A file is read again only if its size or one of its times changed, or if it is so new that a change might
//     not show in its times. On Linux and macOS one of these times is the change time of the system, which a
//     script cannot reset when it restores the modification time.
//   - Files that .gitignore excludes are left out, because build outputs are rebuilt, not restored.
//   - A state is limited by [MaxFiles], [MaxBytes] and the sandbox's limit for one file. Beyond these limits
//     it is incomplete, and [Compare] reports that.
package checkpoint
