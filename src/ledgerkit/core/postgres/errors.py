"""The one error of the embedded server."""


class PostgresStartError(Exception):
    """The embedded PostgreSQL cannot run; the message is for a human and says what to do next."""
