"""From a record that was made to what can be done with it: OpenAPI links, for people and for tools that walk along."""

from typing import Any


def add(paths: dict[str, Any]) -> None:
    """Link every operation that answers 201 with a record to those that take its id in the path right below."""
    for path, item in paths.items():
        for operation in item.values():
            created = operation["responses"].get("201")
            if created is None:
                continue
            below = _below(paths, path.removesuffix("/{id}/duplicate"))
            if below:
                created["links"] = {name: {"operationId": name, "parameters": _ITS_ID} for name in below}


_ITS_ID = {"id": "$response.body#/id"}


def _below(paths: dict[str, Any], collection: str) -> list[str]:
    """Operations of everything under `collection/{id}`."""
    operation_ids = []
    for path, item in paths.items():
        parts = path.removeprefix(f"{collection}/").split("/")
        if path.startswith(f"{collection}/") and parts[0] == "{id}" and path.count("{") == 1:
            operation_ids += [operation["operationId"] for operation in item.values()]
    return operation_ids
