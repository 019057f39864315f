"""Commands for the operator of the server: thin callers of the same gated operations as REST and MCP."""
