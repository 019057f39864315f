"""All tables together: for migrations and for the tests that compare them with the database.

The modules are those called `table` in the folders of core, and the three that bring a table of their own.
"""

from importlib import import_module
from pkgutil import walk_packages

from ledgerkit import core
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.records import counters, search
from ledgerkit.core.platform.request import idempotency

_FOUND = sorted(
    module.name for module in walk_packages(core.__path__, f"{core.__name__}.") if module.name.endswith(".table")
)

MODELS = (idempotency, search, counters, *map(import_module, _FOUND))

__all__ = ["MODELS", "metadata"]
