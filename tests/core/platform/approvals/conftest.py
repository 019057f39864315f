"""Accounts of a running office, and a key that reads and proposes."""

import pytest

from support.scopes import with_scoped_key


@pytest.fixture
async def ana(office):
    return await office.account()


@pytest.fixture
async def robot(ana):
    """A key of Ana's that reads and proposes."""
    return await with_scoped_key(ana, "read", "propose")
