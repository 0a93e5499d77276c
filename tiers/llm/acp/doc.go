// Package acp is the provider acp: it drives any agent that speaks the Agent
// Client Protocol, version 1, on its standard streams
// (https://agentclientprotocol.com/protocol/overview).
//
// # Contract
//
//   - Package program describes what every run of a program has in common.
//     The user configures which agent runs, and with which arguments; there
//     is no default agent.
//   - One attempt is initialize, session/new in a new folder without MCP
//     servers, session/set_model if the agent lists its models, and one
//     session/prompt. Its answer is the terminal marker.
//   - The agent gets no access to our file system or a terminal. Each
//     session/request_permission is answered with the option that rejects once,
//     or as cancelled if there is none; every other request is refused.
//   - An agent may have tools that it runs without asking. The protocol cannot
//     switch them off; those that it reports are recorded in CLICall.OwnTools.
//     The folder holds the settings that switch off the tools of the gemini
//     command line.
//   - Only agent_message_chunk carries the model's text.
//
// Tried with gemini --acp of @google/gemini-cli 0.61.0.
package acp
