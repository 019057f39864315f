"""`make bench`: this folder as one program, found whatever python's -P says."""

import runpy
from pathlib import Path

if __name__ == "__main__":
    runpy.run_path(str(Path(__file__).parent), run_name="__main__")
