import json
from typing import Any

import pytest


@pytest.fixture
def contract(shared) -> dict[str, Any]:
    """The machine-readable contract of the reference material."""
    found: dict[str, Any] = json.loads((shared / "interface" / "contract.json").read_text())
    return found
