"""The answer of tools/list as kept beside this file; `python tests/mcp_server/mcp_tools_list.py` writes it anew."""

import json
from collections.abc import Iterable
from pathlib import Path

from ledgerkit.mcp_server.tool import Tool
from ledgerkit.mcp_server.tools import TOOLS

SNAPSHOT = Path(__file__).with_suffix(".json")


def compact(tools: Iterable[Tool]) -> bytes:
    """Return the answer with these tools as it goes over the wire."""
    return json.dumps({"tools": shown(tools)}, ensure_ascii=False, separators=(",", ":")).encode()


def shown(tools: Iterable[Tool]) -> list[object]:
    return [tool.published.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


def listing() -> str:
    return json.dumps(shown(TOOLS.values()), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SNAPSHOT.write_text(listing(), encoding="utf-8")
