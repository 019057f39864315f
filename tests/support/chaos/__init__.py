"""A server, its PostgreSQL and its authority in trouble at once, and what must be true when it is over.

Everything is seen from outside: by the REST interface, by what the authority received and holds, by killing processes.
"""
