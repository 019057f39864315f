# ruff: noqa: INP001 -- a script that runs before the package is installed, in no package itself
"""Are the system libraries that WeasyPrint loads present? Exit 0: all; 1: no, the missing ones are named on stderr.

`--packages` prints Debian's packages, `--command` the one command that installs them on this system.
harfbuzz-subset counts as needed: without it a page takes four times as long, and a later WeasyPrint refuses to start.
"""

import ctypes
import ctypes.util
import platform
import shutil
import sys
from pathlib import Path

LIBRARIES = {
    "gobject-2.0": ("libgobject-2.0.so.0", "libgobject-2.0.0.dylib"),
    "pango-1.0": ("libpango-1.0.so.0", "libpango-1.0.dylib"),
    "pangoft2-1.0": ("libpangoft2-1.0.so.0", "libpangoft2-1.0.dylib"),
    "fontconfig": ("libfontconfig.so.1", "libfontconfig.1.dylib"),
    "harfbuzz": ("libharfbuzz.so.0", "libharfbuzz.0.dylib"),
    "harfbuzz-subset": ("libharfbuzz-subset.so.0", "libharfbuzz-subset.0.dylib"),
}
FONTS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path.home() / ".local/share/fonts",
    Path.home() / ".fonts",
)
DEBIAN = ("libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0", "fonts-dejavu-core")
COMMANDS = {
    "brew": "brew install pango harfbuzz",
    "apt-get": f"sudo apt-get install --no-install-recommends {' '.join(DEBIAN)}",
    "dnf": "sudo dnf install pango harfbuzz dejavu-sans-fonts",
    "zypper": "sudo zypper install libpango-1_0-0 libharfbuzz-subset0 dejavu-fonts",
    "pacman": "sudo pacman -S pango harfbuzz ttf-dejavu",
}


def loads(file: str) -> bool:
    try:
        ctypes.CDLL(file)
    except OSError:
        return False
    return True


def missing() -> list[str]:
    """Names of the libraries that no known file name loads, and `fonts` where a Linux has none."""
    names = [
        name
        for name, files in LIBRARIES.items()
        if not any(map(loads, files)) and ctypes.util.find_library(name) is None
    ]
    if platform.system() == "Linux" and not any(folder.is_dir() and any(folder.rglob("*.[to]tf")) for folder in FONTS):
        names.append("fonts")
    return names


def command() -> str:
    found = (text for tool, text in COMMANDS.items() if shutil.which(tool))
    return next(found, "your system's package manager, for pango, harfbuzz-subset and a font")


def main(arguments: list[str]) -> int:
    if arguments == ["--packages"]:
        sys.stdout.write(" ".join(DEBIAN) + "\n")
        return 0
    if arguments == ["--command"]:
        sys.stdout.write(command() + "\n")
        return 0
    names = missing()
    if names:
        sys.stderr.write(f"ledgerkit: WeasyPrint's libraries are missing: {', '.join(names)}\n")
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
