// Package acp is the provider acp: it drives any agent that speaks the Agent
// Client Protocol, version 1, on its standard streams
// (https://agentclientprotocol.com/protocol/overview).
//
// # Contract
//
//   - What every run of a program has in common says package program. Which
//     agent runs, and with which arguments, is the person's word; there is no
//     agent by default.
//   - One attempt is initialize, session/new in a new folder without MCP
//     servers, session/set_model if the agent lists its models, and one
//     session/prompt. Its answer is the terminal marker.
//   - The agent gets no file system and no terminal of ours. Each
//     session/request_permission is answered with the option that rejects once,
//     or as cancelled where there is none; every other request is refused.
//   - An agent may have tools that it runs without asking. They cannot be
//     switched off by the protocol; what it reports is on record in
//     CLICall.OwnTools. The folder holds the settings that switch off those of the
//     gemini command line.
//   - Only agent_message_chunk is the model's words.
//
// Tried with gemini --acp of @google/gemini-cli 0.61.0.
package acp
