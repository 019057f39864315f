"""The folder of one run of the tests, for what its workers make once for all of them."""

from pathlib import Path


class Common:
    """None where the tests run in one process."""

    folder: Path | None = None
