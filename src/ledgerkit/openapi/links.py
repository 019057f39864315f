"""From a record that was made to what can be done with it: OpenAPI links, for people and for tools that walk along."""

from typing import Any


def add(paths: dict[str, Any]) -> None:
    """Link every operation that answers 201 with a record to those that take its id in the path right below."""
    for path, item in paths.items():
        for operation in item.values():
            made = operation["responses"].get("201")
            if made is None:
                continue
            below = _below(paths, path.removesuffix("/{id}/duplicate"))
            if below:
                made["links"] = {name: _link(name, parameter) for name, parameter in below}


def _below(paths: dict[str, Any], collection: str) -> list[tuple[str, str]]:
    """Operation and parameter of everything under `collection/{id}`."""
    found = []
    for path, item in paths.items():
        parts = path.removeprefix(f"{collection}/").split("/")
        if path.startswith(f"{collection}/") and parts[0] == "{id}" and path.count("{") == 1:
            found += [(operation["operationId"], "id") for operation in item.values()]
    return found


def _link(operation_id: str, parameter: str) -> dict[str, Any]:
    return {"operationId": operation_id, "parameters": {parameter: "$response.body#/id"}}
