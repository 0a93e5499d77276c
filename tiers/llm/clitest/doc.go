// Package clitest plays the programs after the providers that run one: the
// gemini command line, Claude Code, codex and an agent of the Agent Client
// Protocol. It is for tests only.
//
// # Contract
//
//   - [Install] writes a program that starts the test binary again; its TestMain
//     calls [Play] first, which then is the program and never returns.
//   - What the model says comes from a file of the scripted model (package
//     script). Tier, ticket and newest message are found in the prompt, as a
//     model would; each line is used once, across runs.
//   - A fake rejects what the real program rejects, and uses tools of its own
//     where it is not told to leave that, so a test of a provider that says too
//     little fails.
package clitest
