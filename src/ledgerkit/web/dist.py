"""Built files of the web app: read once, so that an answer needs no disk and all files are of one build."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DIRECTORY = Path(__file__).with_name("dist")
"""Folder that `make web` builds into, and that the wheel carries."""

INDEX = "index.html"
ASSETS = "assets/"
"""Beginning of the names that contain a hash of their content."""

ENCODINGS = {"br": ".br", "gzip": ".gz"}
"""Encodings with the ending of a file that has them, the better first."""

_MEDIA_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mp3": "audio/mpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True)
class BuiltFile:
    """One file of the web app; `encoded` is its content by encoding, where the build has compressed it."""

    name: str
    content: bytes
    encoded: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def media_type(self) -> str:
        return _MEDIA_TYPES[Path(self.name).suffix]

    @property
    def is_immutable(self) -> bool:
        """Return True when another content would have another name."""
        return self.name.startswith(ASSETS)


@dataclass(frozen=True)
class Dist:
    """Result of a build: the page itself, and the other files by name, if browsers know their type."""

    index: str
    files: Mapping[str, BuiltFile]

    @classmethod
    def read(cls, directory: Path) -> "Dist | None":
        """Read a folder that Vite has built into; None where there is no page in it."""
        if not (directory / INDEX).is_file():
            return None
        contents = {
            path.relative_to(directory).as_posix(): path.read_bytes()
            for path in sorted(directory.rglob("*"))
            if path.is_file()
        }
        index = contents.pop(INDEX).decode()
        return cls(index, {name: _file(name, contents) for name in contents if Path(name).suffix in _MEDIA_TYPES})


def _file(name: str, contents: Mapping[str, bytes]) -> BuiltFile:
    encoded = {
        encoding: contents[f"{name}{ending}"] for encoding, ending in ENCODINGS.items() if f"{name}{ending}" in contents
    }
    return BuiltFile(name, contents[name], encoded)
