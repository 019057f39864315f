"""The country of docs/providers.md, written out as its reader would."""

import re
import tomllib
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "providers.md"


def write(directory: Path) -> None:
    """Every Python and PO block under its first line's name; and a distribution as the TOML block describes it."""
    text = PAGE.read_text()
    for path, source in re.findall(r"```(?:python|po)\n# (\S+)\n(.*?)```", text, re.DOTALL):
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    project = tomllib.loads(re.search(r"```toml\n(\[project\]\n.*?)```", text, re.DOTALL).group(1))["project"]
    metadata = directory / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    requirements = "".join(f"Requires-Dist: {requirement}\n" for requirement in project["dependencies"])
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (metadata / "METADATA").write_text(head + requirements)
    entries = "".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in named.items())
        for group, named in project["entry-points"].items()
    )
    (metadata / "entry_points.txt").write_text(entries)
