"""An export, and what the script that comes with the documentation says of it."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "docs" / "verify_export.py"


def checked(directory: Path, files: dict[str, bytes]) -> tuple[int, str]:
    """What the script says of these files, run without anything of ours on its path."""
    for name, content in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(content)
    return said(directory)


def said(path: Path) -> tuple[int, str]:
    found = subprocess.run([sys.executable, "-I", str(SCRIPT), str(path)], capture_output=True, text=True, check=False)
    return found.returncode, found.stdout + found.stderr
