"""Disks that are soon full."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

MIB = 1 << 20
FILLER = "filler"


@contextmanager
def small_disk(directory: Path, mib: int) -> Iterator[Path]:
    """A new directory on a disk of its own; the test is skipped, visibly, where this user may not mount one."""
    directory.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=755", "ledgerkit-tests", str(directory)]
    mounted = subprocess.run(words, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield directory
    finally:
        words = ["umount", "--lazy", str(directory)]
        subprocess.run(words, check=True)


def fill(disk: Path) -> None:
    """Leave no byte on it."""
    with (disk / FILLER).open("ab", buffering=0) as file:
        for size in (MIB, 4096, 1):
            try:
                while file.write(b"0" * size) == size:
                    pass
            except OSError:
                continue


def clear(disk: Path) -> None:
    """Give the room back."""
    (disk / FILLER).unlink()
