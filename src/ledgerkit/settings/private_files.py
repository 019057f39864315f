"""Files with fiscal records, keys or messages: readable by the user who runs ledgerkit and by nobody else."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE
from tempfile import mkstemp
from typing import BinaryIO

_OF_OTHERS = 0o077
_WALKING = 0o011


def make_directory(path: Path) -> None:
    """Make a directory of mode 0700. An existing one gets this mode too; missing ones above it are made likewise."""
    if not path.parent.exists():
        make_directory(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    close_to_others(path)


def close_to_others(path: Path, *, but_passable: bool = False) -> None:
    """Take every right from group and others. With `but_passable`, they may still walk through the directory."""
    mode = S_IMODE(path.stat().st_mode)
    removed = _OF_OTHERS & ~_WALKING if but_passable else _OF_OTHERS
    if mode & removed:
        path.chmod(mode & ~removed)


def write(path: Path, content: bytes) -> None:
    """Write a file of mode 0600, whole or not at all, in place of any file of that name."""
    with writing(path) as file:
        file.write(content)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Open a private file for writing; when the block fails, nothing of it is left."""
    descriptor, name = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")  # of mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
