"""A server, its PostgreSQL and its authority in trouble at once, and the conditions that must hold afterwards.

Everything is seen from outside: by the REST interface, by what the authority received and holds, by killing processes.
"""
