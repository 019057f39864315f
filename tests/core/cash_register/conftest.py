import pytest

from support.tills import Till


@pytest.fixture
async def till(ana) -> Till:
    return await Till.of(ana)
