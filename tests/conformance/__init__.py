"""Other people's MCP tools against a real server: `make conformance`."""
