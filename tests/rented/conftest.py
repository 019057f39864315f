"""One server for each version of PostgreSQL that is supported, as somebody else runs it."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from support.clusters import Cluster, cluster, major

VERSIONS = ("16", "17", "18")
SECRET = b"the secret key of one installation in the tests"

_numbers = count(1)


@contextmanager
def open_directory() -> Iterator[Path]:
    """A directory that every account can enter, unlike `tmp_path`."""
    with tempfile.TemporaryDirectory(prefix="lk-") as parent:
        Path(parent).chmod(0o755)
        yield Path(parent)


@pytest.fixture(scope="session", params=VERSIONS)
async def host(request) -> AsyncIterator[Cluster]:
    """A server of each version."""
    with open_directory() as parent:
        async with cluster(parent / "data", major(request.param)) as running:
            yield running


@pytest.fixture(scope="session")
async def newest() -> AsyncIterator[Cluster]:
    """One server, where the version does not matter."""
    with open_directory() as parent:
        async with cluster(parent / "data", major("18")) as running:
            yield running


@pytest.fixture
def name() -> str:
    """Of a database and its owner that no other test uses."""
    return f"shop{next(_numbers)}"
