"""Verification of an export by the script of the documentation."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "docs" / "verify_export.py"


def verify_files(directory: Path, files: dict[str, bytes]) -> tuple[int, str]:
    """Write the files and verify them with the script, which runs without ledgerkit on its path."""
    for name, content in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(content)
    return verify_path(directory)


def verify_path(path: Path) -> tuple[int, str]:
    """Exit code and output of the script for a directory or an archive."""
    command = [sys.executable, "-I", str(SCRIPT), str(path)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    return process.returncode, process.stdout + process.stderr
