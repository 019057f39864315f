"""The country of docs/providers.md, written out as its reader would."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "providers.md"


def write(directory: Path) -> None:
    """Every Python and PO block under its first line's name; and a distribution with the TOML block's entry point."""
    text = PAGE.read_text()
    for path, source in re.findall(r"```(?:python|po)\n# (\S+)\n(.*?)```", text, re.DOTALL):
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    group, name, value = re.search(r'```toml\n\[project\.entry-points\."(\S+)"\]\n(\S+) = "(\S+)"\n```', text).groups()
    metadata = directory / "ledgerkit_pt-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: ledgerkit-pt\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{name} = {value}\n")
