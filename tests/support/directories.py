"""Directories for servers whose processes run as another account, as PostgreSQL's do when root starts them."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def open_directory() -> Iterator[Path]:
    """A directory with a short path that every account can enter, unlike `tmp_path`."""
    with tempfile.TemporaryDirectory(prefix="lk-") as parent:
        Path(parent).chmod(0o755)
        yield Path(parent).resolve()
