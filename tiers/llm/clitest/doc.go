// Package clitest plays the programs that CLI providers run: the gemini command line, Claude Code,
// codex and an agent of the Agent Client Protocol. It is for tests only.
//
// # Contract
//
//   - [Install] writes a program that starts the test binary again; its TestMain
//     calls [Play] first, which then acts as the program and never returns.
//   - The model's replies come from a file of the scripted model (package
//     script). Tier, ticket and newest message are found in the prompt, as a
//     model would find them; each line is used once, across runs.
//   - A fake rejects what the real program rejects, and uses tools of its own
//     unless it is told not to, so that the test of a provider that omits an
//     option fails.
package clitest
