"""Commands for who runs the server: thin callers of the same gated operations as REST and MCP."""
