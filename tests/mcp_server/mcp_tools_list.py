"""The answer of tools/list as kept beside this file; `python tests/mcp_server/mcp_tools_list.py` writes it anew."""

import json
from pathlib import Path

from ledgerkit.mcp_server.tools import TOOLS

SNAPSHOT = Path(__file__).with_suffix(".json")


def listing() -> str:
    tools = [tool.published.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in TOOLS.values()]
    return json.dumps(tools, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SNAPSHOT.write_text(listing(), encoding="utf-8")
