"""One server for each version of PostgreSQL that is supported, as somebody else runs it."""

from collections.abc import AsyncIterator
from itertools import count

import pytest

from support.clusters import VERSIONS, Cluster, cluster, major
from support.directories import open_directory

_numbers = count(1)


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
    """Name of a database and its owner that no other test uses."""
    return f"shop{next(_numbers)}"
