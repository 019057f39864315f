"""Errors that prevent the start of a command: one line for a human, and an exit code of sysexits.h."""

from ledgerkit.texts import Message, MessageId, Text


class StartError(Exception):
    """Error that prevents the start of a command; its text says in one line what is wrong and what to type.

    `StartError(ServerMsg.TOO_OLD, version=version)`.
    """

    exit_code = 70

    def __init__(self, text: MessageId | Text, /, **values: object) -> None:
        super().__init__(text)
        self.text = Message(text, values) if isinstance(text, MessageId) else text

    def __str__(self) -> str:
        """Return the English text, for logs."""
        return str(self.text)


class Misconfigured(StartError):  # noqa: N818 - the base says that it is an error
    """Somebody must change something first: the same start fails again (EX_CONFIG)."""

    exit_code = 78


class Unreachable(StartError):  # noqa: N818 - likewise
    """Something is away, full or taken: the same start may succeed later (EX_UNAVAILABLE)."""

    exit_code = 69
