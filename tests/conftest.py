"""What pytest is told on its command line, and where the fixtures of all tests are."""

import pytest

from support.sampling import Extent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="run every case of the long series (`make test-all`)")


def pytest_configure(config: pytest.Config) -> None:
    """Load the fixtures, and with them the application, in the processes that run tests and in no other."""
    Extent.whole = config.getoption("--whole")
    only_distributes = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if not only_distributes:
        config.pluginmanager.import_plugin("support.fixtures")
