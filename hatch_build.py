"""Hatchling's build hook: a wheel or sdist carries the built web app, or is not made at all."""

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT = "src/ledgerkit/web/dist/index.html"
SOURCES = "web/package.json"
"""Present in a checkout; an sdist has the built files only."""


class WebAppHook(BuildHookInterface[Any]):
    """Builds the web app where its sources are and have changed. An editable install serves the checkout's files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 -- hatchling gives both
        """Raise RuntimeError when there is no built web app and none can be built."""
        if version == "editable":
            return
        root = Path(self.root)
        if (root / SOURCES).is_file():
            build = subprocess.run(["sh", "scripts/web", "build"], cwd=root, stdin=subprocess.DEVNULL, check=False)  # noqa: S607 -- sh of the PATH, as people have it
            if build.returncode:
                raise RuntimeError("the web app could not be built, for the reason above. First type: make web")
        if not (root / BUILT).is_file():
            raise RuntimeError("the web app is not built, and this package would lack it. First type: make web")
