"""The system libraries and fonts that PDFs are made with: what this machine lacks, and the command that installs it.

Runs as a script too, before anything is installed (`scripts/libraries.py`), and so needs the standard library only.
As a script: exit 0 when nothing is missing, 1 when something is, named on stderr; `--advised` asks so for the fonts
without which some characters are not printed. `--packages` prints Debian's packages, `--command` the one command that
installs everything on this system.
harfbuzz-subset counts as needed: without it a page takes four times as long, and a later WeasyPrint refuses to start.
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
"""What the file of a font with emoji is called, among other things; Fedora's is Noto-COLRv1.ttf."""

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


@dataclass(frozen=True)
class MissingRequirements:
    """What PDFs are made with and this machine does not have.

    Nothing can be printed without what is `needed`; without what is `advised` some characters are printed as a box.
    `command` installs both on this system.
    """

    needed: tuple[str, ...]
    advised: tuple[str, ...]
    command: str


def missing_requirements() -> MissingRequirements | None:
    """What this machine lacks for PDFs; None when it has everything. Loads the libraries that it finds."""
    needed, advised = tuple(missing_libraries()), tuple(missing_fonts())
    return MissingRequirements(needed, advised, command()) if needed or advised else None


def missing_libraries() -> list[str]:
    """Names of the libraries that cannot be loaded, and `fonts` where a Linux has none."""
    names = [name for name, files in LIBRARIES.items() if not any(map(_loads, (*files, *_found(name))))]
    if platform.system() == "Linux" and next(font_files(), None) is None:
        names.append("fonts")
    return names


def missing_fonts() -> list[str]:
    """`emoji font` where a Linux has none; other systems bring one."""
    if platform.system() != "Linux":
        return []
    names = (path.name.lower() for path in font_files())
    return [] if any(word in name for name in names for word in EMOJI_FONTS) else ["emoji font"]


def font_files() -> Iterator[Path]:
    """The fonts of a Linux."""
    return (path for folder in FONTS if folder.is_dir() for path in folder.rglob("*.[to]tf"))


def command() -> str:
    """What to type on this system to install everything."""
    found = (text for tool, text in COMMANDS.items() if shutil.which(tool))
    return next(found, "install pango, harfbuzz-subset, a font and an emoji font, as your system does it")


def _loads(file: str) -> bool:
    try:
        ctypes.CDLL(file)
    except OSError:
        return False
    return True


def _found(name: str) -> tuple[str, ...]:
    """The file that the linker knows by this name, if any."""
    found = ctypes.util.find_library(name)
    return () if found is None else (found,)


def main(arguments: list[str]) -> int:
    """What the shell is told of this machine."""
    if arguments == ["--packages"]:
        sys.stdout.write(" ".join(DEBIAN) + "\n")
        return 0
    if arguments == ["--command"]:
        sys.stdout.write(command() + "\n")
        return 0
    names, what = missing_libraries(), "WeasyPrint's libraries are missing"
    if arguments == ["--advised"]:
        names, what = missing_fonts(), "some characters would be printed as a box; missing is"
    if names:
        sys.stderr.write(f"ledgerkit: {what}: {', '.join(names)}\n")
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
