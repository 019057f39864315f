"""Second tries of CI: `PYTHONPATH=tests python -m support.repeating` after a whole run of which tests failed.

A test that waits for processes can fail by a stall of the machine. Such a test is run once more, alone. What passes
then is printed as FLAKY and is to be mended next. Ends with 1 where a failure remains.
"""

import json
import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from support.waiting import WAITING_FOLDERS

MOST = 5
"""More failures than these are no chance of a machine."""

NEVER = frozenset(
    {
        "tests/commands/test_sending_commands.py",
        "tests/commands/test_signed_mode_commands.py",
        "tests/commands/test_verifactu_commands.py",
        "tests/live/test_authority_faults.py",
        "tests/live/test_cash_registers.py",
        "tests/live/test_chaos.py",
        "tests/live/test_concurrency.py",
        "tests/live/test_crashes.py",
        "tests/live/test_database_conflicts.py",
        "tests/live/test_fault_matrix.py",
        "tests/live/test_issuer_crowds.py",
        "tests/live/test_metering_crowds.py",
        "tests/live/test_one_message_at_a_time.py",
        "tests/live/test_parallel_imports.py",
        "tests/live/test_review.py",
        "tests/live/test_sandbox_alone.py",
        "tests/live/test_sending.py",
        "tests/live/test_stock_concurrency.py",
        "tests/live/test_team_crowds.py",
        "tests/live/test_whole_messages.py",
        "tests/rented/test_backup.py",
        "tests/rented/test_plain_owner.py",
        "tests/web/test_web_till.py",
        "tests/web/test_web_two_teams.py",
    }
)
"""Tests of money, numbering, chains or isolation: there one failure in a hundred runs is a fault of ours."""

TESTS_FAILED = 1
"""pytest's own code for a run that came to its end."""


def may_be_repeated(failed: Collection[str]) -> bool:
    """Return True when each test, named as pytest does, waits for processes and judges nothing that must be exact."""
    return 0 < len(failed) <= MOST and all(_waits(test) for test in failed)


def _waits(test: str) -> bool:
    file, separator, _ = test.partition("::")
    in_folder = any(PurePosixPath(file).is_relative_to(f"tests/{folder}") for folder in WAITING_FOLDERS)
    return bool(separator) and in_folder and file not in NEVER


def failures_of(cache: Path) -> list[str]:
    """Tests that failed in the last run; empty where it was interrupted, since nobody knows what else would have."""
    ended = cache / "ledgerkit" / "ended"
    failed = cache / "cache" / "lastfailed"
    if not ended.exists() or json.loads(ended.read_text()) != TESTS_FAILED or not failed.exists():
        return []
    return sorted(json.loads(failed.read_text()))


def _passes_alone(test: str) -> bool:
    command = [sys.executable, "-P", "-m", "pytest", "--whole", test]
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, check=False, env=surroundings).returncode == 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    failed = failures_of(Path(".pytest_cache/v"))
    if not may_be_repeated(failed):
        _say(f"Nothing is repeated: only up to {MOST} failures of tests that wait for processes are.")
        return 1
    flaky = [test for test in failed if _passes_alone(test)]
    for test in flaky:
        _say(f"FLAKY {test}")
    return 0 if flaky == failed else 1


if __name__ == "__main__":
    sys.exit(main())
