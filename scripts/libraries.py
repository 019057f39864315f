# ruff: noqa: INP001 -- a script that runs before the package is installed, in no package itself
"""Are the system libraries present that PDFs need? The package's own `paper/libraries.py`, run by its path."""

import runpy
from pathlib import Path

runpy.run_path(
    str(Path(__file__).parents[1] / "src/ledgerkit/core/sales/invoices/pdf/libraries.py"), run_name="__main__"
)
