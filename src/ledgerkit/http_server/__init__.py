"""Bounds of the HTTP server, before a request is one: descriptors, connections, and heads of requests."""
