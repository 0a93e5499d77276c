// Package mcp uses tools of external MCP servers. It reads mcp_config.json, stores the user's trust by content
// hash, starts servers over its own stdio transport or over HTTP, and provides their pinned tools as tools of the
// engine.
package mcp
