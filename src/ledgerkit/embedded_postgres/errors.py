"""The errors of the embedded server."""

from ledgerkit.settings.start_errors import StartError


class PostgresStartError(StartError):
    """The embedded PostgreSQL cannot run; the message is for a human and says what to do next."""

    exit_code = 78


class DirectoryInUse(PostgresStartError):  # noqa: N818 - the base says that it is an error
    """Another ledgerkit runs the server of this directory."""

    exit_code = 69
