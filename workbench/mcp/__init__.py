"""The MCP server: the use cases of the session as tools for coding agents."""
