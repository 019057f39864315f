"""Errors that keep a command from beginning: one line for a human, and an exit code of sysexits.h."""


class StartError(Exception):
    """The text says in one line what is wrong and what to type."""

    exit_code = 70


class Misconfigured(StartError):  # noqa: N818 - the base says that it is an error
    """Somebody must change something first: the same start fails again (EX_CONFIG)."""

    exit_code = 78


class Unreachable(StartError):  # noqa: N818 - likewise
    """Something is away, full or taken: the same start may succeed later (EX_UNAVAILABLE)."""

    exit_code = 69
