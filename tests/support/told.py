"""Problems of REST as an assistant is told of them."""

from typing import Any

from ledgerkit.mcp_server.wording import for_assistants

OF_ONE_REQUEST = {"instance", "requestId"}


def told(problem: dict[str, Any], language: str = "en") -> dict[str, Any]:
    """Content of a problem without its place and its request, with tools for the requests that it names."""
    return for_assistants({name: problem[name] for name in problem.keys() - OF_ONE_REQUEST}, language, is_ours=True)
