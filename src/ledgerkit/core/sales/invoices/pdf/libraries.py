"""System libraries and fonts for PDFs: the ones that this machine lacks, and the command that installs them.

This module also runs as a script before anything is installed (`scripts/libraries.py`), so it needs only the standard
library. As a script: exit 0 when nothing is missing, 1 when something is, named on stderr; `--advised` checks the fonts
without which some characters are not printed. `--packages` prints Debian's packages, `--command` the one command that
installs everything on this system. harfbuzz-subset counts as needed: without it a page takes four times as long, and a
later WeasyPrint refuses to start.
"""

import ctypes
import ctypes.util
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
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
EMOJI_FONTS = ("emoji", "colrv1", "symbola")
"""Parts of the file names of fonts with emoji; Fedora's is Noto-COLRv1.ttf."""

DEBIAN = (
    "libpango-1.0-0",
    "libpangoft2-1.0-0",
    "libharfbuzz-subset0",
    "fonts-dejavu-core",
    "fonts-noto-color-emoji",
)
COMMANDS = {
    "brew": "brew install pango harfbuzz",
    "apt-get": f"sudo apt-get install --no-install-recommends {' '.join(DEBIAN)}",
    "dnf": "sudo dnf install pango harfbuzz dejavu-sans-fonts google-noto-color-emoji-fonts",
    "zypper": "sudo zypper install libpango-1_0-0 libharfbuzz-subset0 dejavu-fonts noto-coloremoji-fonts",
    "pacman": "sudo pacman -S pango harfbuzz ttf-dejavu noto-fonts-emoji",
}

BY_HAND = "install pango, harfbuzz-subset, a font and an emoji font, as your system does it"
"""In the place of a command, on a system whose way of installing is unknown."""

ANY_FONT, EMOJI_FONT = "fonts", "emoji font"
"""Names of missing fonts, beside those of `LIBRARIES`."""


@dataclass(frozen=True)
class MissingRequirements:
    """Requirements of PDFs that this machine does not have.

    Nothing can be printed without the `needed` ones; without the `advised` ones some characters are printed as a box.
    `command` installs both on this system.
    """

    needed: tuple[str, ...]
    advised: tuple[str, ...]
    command: str


def missing_requirements() -> MissingRequirements | None:
    """Return what this machine lacks for PDFs; None when it has everything. Loads the libraries that it finds."""
    needed, advised = tuple(missing_libraries()), tuple(missing_fonts())
    return MissingRequirements(needed, advised, command()) if needed or advised else None


def missing_libraries() -> list[str]:
    """Return the names of the libraries that cannot be loaded, and `fonts` where a Linux has none."""
    names = [name for name, files in LIBRARIES.items() if not any(map(_loads, (*files, *_linked_file(name))))]
    if platform.system() == "Linux" and next(font_files(), None) is None:
        names.append(ANY_FONT)
    return names


def missing_fonts() -> list[str]:
    """Return `emoji font` if a Linux has none; other systems include one."""
    if platform.system() != "Linux":
        return []
    names = (path.name.lower() for path in font_files())
    return [] if any(word in name for name in names for word in EMOJI_FONTS) else [EMOJI_FONT]


def font_files() -> Iterator[Path]:
    """Iterate over the font files of a Linux."""
    return (path for folder in FONTS if folder.is_dir() for path in folder.rglob("*.[to]tf"))


def command() -> str:
    """Return the command that installs everything on this system."""
    commands = (command for tool, command in COMMANDS.items() if shutil.which(tool))
    return next(commands, BY_HAND)


def _loads(file: str) -> bool:
    try:
        ctypes.CDLL(file)
    except OSError:
        return False
    return True


def _linked_file(name: str) -> tuple[str, ...]:
    """Return the file that the linker has under this name, if any."""
    file = ctypes.util.find_library(name)
    return () if file is None else (file,)


def main(arguments: list[str]) -> int:
    """Print what this machine lacks, or the packages or the command to install; return the exit code."""
    if arguments == ["--packages"]:
        sys.stdout.write(" ".join(DEBIAN) + "\n")
        return 0
    if arguments == ["--command"]:
        sys.stdout.write(command() + "\n")
        return 0
    names, problem = missing_libraries(), "WeasyPrint's libraries are missing"
    if arguments == ["--advised"]:
        names, problem = missing_fonts(), "some characters would be printed as a box; missing is"
    if names:
        sys.stderr.write(f"ledgerkit: {problem}: {', '.join(names)}\n")
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
