"""Conditions under which a problem helps its reader."""

from typing import Any


def unhelpful(problem: dict[str, Any], path: str) -> list[str]:
    """Parts that a problem lacks to be of help."""
    wanted = {name: bool(problem[name]) for name in ("code", "title", "detail", "remedy", "errors", "requestId")}
    wanted |= {"error": problem["error"] == problem["detail"], "instance": problem["instance"] == path}
    wanted["each"] = all(error["code"] and error["message"] for error in problem["errors"])
    return [name for name, given in wanted.items() if not given]
