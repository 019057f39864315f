"""Errors of the embedded server, and the ids of their messages, whose texts are in its own catalogues."""

from pathlib import Path

from ledgerkit.settings.start_errors import StartError
from ledgerkit.texts import MessageId


class EmbeddedMsg(MessageId, folder=Path(__file__).parent / "texts"):
    CANNOT_RUN = "embedded_postgres.cannot_run"
    CLUSTER_OF_ANOTHER_RELEASE = "embedded_postgres.cluster_of_another_release"
    CLUSTER_OF_ANOTHER_USER = "embedded_postgres.cluster_of_another_user"
    CLUSTER_OF_ROOT = "embedded_postgres.cluster_of_root"
    DIRECTORY_IN_USE = "embedded_postgres.directory_in_use"
    EARLIER_PROCESS_DOES_NOT_END = "embedded_postgres.earlier_process_does_not_end"
    ENDED_WHILE_STARTING = "embedded_postgres.ended_while_starting"
    INITDB_FAILED = "embedded_postgres.initdb_failed"
    LINKED_DIRECTORY_MISSING = "embedded_postgres.linked_directory_missing"
    NO_CLUSTER = "embedded_postgres.no_cluster"
    NO_DIRECTORY_FOR_USER = "embedded_postgres.no_directory_for_user"
    NO_ORDINARY_USER = "embedded_postgres.no_ordinary_user"
    NOT_INSTALLED = "embedded_postgres.not_installed"
    NOT_PREPARED = "embedded_postgres.not_prepared"
    NOT_STARTED = "embedded_postgres.not_started"
    OF_ANOTHER_USER = "embedded_postgres.of_another_user"
    OWNER_CANNOT_ENTER_DIRECTORY = "embedded_postgres.owner_cannot_enter_directory"
    PASSWORD_FILE_LOST = "embedded_postgres.password_file_lost"  # noqa: S105 - the id of a text
    PASSWORD_REFUSED = "embedded_postgres.password_refused"  # noqa: S105 - the id of a text
    PROGRAM_DOES_NOT_RUN = "embedded_postgres.program_does_not_run"
    PROGRAMS_NOT_EXECUTABLE = "embedded_postgres.programs_not_executable"


class PostgresStartError(StartError):
    """The embedded PostgreSQL cannot run; the message is for a human and says what to do next."""

    exit_code = 78


class DirectoryInUse(PostgresStartError):  # noqa: N818 - the base says that it is an error
    """Another ledgerkit runs the server of this directory."""

    exit_code = 69
