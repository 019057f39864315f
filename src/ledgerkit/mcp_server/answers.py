"""Results of tools as JSON: pages with totals, no pictures or secrets, at most 20,000 bytes."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

from pydantic_core import from_json, to_json

from ledgerkit.core.platform.api_types.json_answers import PICTURE, PRIVATE, Json, without_secrets
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest, brief_fields
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.shapes import PageQuery
from ledgerkit.texts import text

MOST_BYTES = 20_000
"""Most bytes of a result as compact JSON. Hosts cut longer results at an arbitrary place."""

_MARKS = (*(f'"{name}":'.encode() for name in PRIVATE), f'"{PICTURE}'.encode())
"""Marks of these fields and pictures in compact JSON. A text cannot contain them, because its quotes are escaped."""


async def paged(listing: Callable[[PageRequest], Awaitable[Page]], query: PageQuery, concise: tuple[str, ...]) -> Json:
    """Return a page with the list's total and the cursor of the next page.

    Records have only the `concise` fields unless the query asks for full ones. PostgreSQL renders just these fields;
    records of a list that Python makes are shortened here.
    """
    first = await _first(listing, query, (concise[0], *query.key))
    request = PageRequest(1, query.limit, () if query.detail == "full" else concise, first)
    page = await listing(request)
    records = from_json(page.body)
    items = records if page.fields == request.fields else [brief(record, concise) for record in records]
    return {"items": items, "total": page.total, "nextCursor": query.following(items, first, page.total)}


def list_of(records: Sequence[Json]) -> Callable[[PageRequest], Awaitable[Page]]:
    """Return the list of records that are all known, for `paged`."""

    async def listing(page: PageRequest) -> Page:
        shown = records[page.offset :][: page.size]
        return Page(body=to_json(shown), total=len(records), number=page.number, size=page.size)

    return listing


def continued(tool: str, **arguments: object) -> Json:
    """Return the call of a tool that shows the rest of a list."""
    return {"tool": tool, "arguments": arguments}


_AROUND = 100
"""Records before a place, and after it, among which it is looked for."""


async def _first(listing: Callable[[PageRequest], Awaitable[Page]], query: PageQuery, key: tuple[str, ...]) -> int:
    """Return the number of the first record of a page: where its place is now."""
    place = query.place
    if not place.marks:
        return place.number
    first = max(0, place.number - _AROUND)
    page = await listing(PageRequest(1, place.number - first + _AROUND, key, first))
    return place.found([query.identity(record) for record in from_json(page.body)], first, page.total)


def brief(record: Json, names: tuple[str, ...]) -> Json:
    """Return the fields `names` of a record, with the labels that `brief_fields` gives them."""
    return {label: _field(record, outer, inner) for label, outer, inner in brief_fields(names)}


def _field(record: Json, outer: str, inner: str) -> Any:
    value = record.get(outer)
    return value.get(inner) if inner and isinstance(value, dict) else value


# ---------------------------------------------------------------- the text and its size


def with_text(answer: Json, query: object, language: str) -> tuple[Json, bytes]:
    """Return an answer without secrets in at most MOST_BYTES (see `bounded`), and its compact JSON."""
    text = to_json(answer)
    if any(name in text for name in _MARKS):
        answer = without_secrets(answer)
        text = to_json(answer)
    if len(text) <= MOST_BYTES:
        return answer, text
    shorter = bounded(answer, query, language)
    return shorter, to_json(shorter)


def size(value: object) -> int:
    """Return the number of bytes of `value` as compact JSON."""
    return len(to_json(value))


def bounded(answer: Json, query: object, language: str) -> Json:
    """Return `answer` in at most MOST_BYTES. A longer one is cut and says in `hint` how to get the rest."""
    if size(answer) <= MOST_BYTES:
        return answer
    if isinstance(query, PageQuery) and {query.listed, "nextCursor"} <= answer.keys():
        answer = _shorter_page(answer, query, language)
    return answer if size(answer) <= MOST_BYTES else _cut(answer, language)


def _shorter_page(answer: Json, query: PageQuery, language: str) -> Json:
    """Return the records of a page that fit, at least one. `nextCursor` continues after them, with any limit."""
    records = answer[query.listed]
    room, fitting = MOST_BYTES - 700 - size({**answer, query.listed: []}), 0
    for item in records:
        room -= size(item) + 1
        fitting += room >= 0
    shown = records[: max(1, fitting)]
    cursor, total = answer["nextCursor"], answer[query.counted]
    beyond = total if cursor is None else query.place_of(cursor).number
    first = beyond - len(records)
    more = {"more": total - first - len(shown)} if "more" in answer else {}
    return {
        **answer,
        **more,
        query.listed: shown,
        "nextCursor": query.following(shown, first, total),
        "hint": text(McpMsg.PAGE_CUT, shown=len(shown)).in_language(language),
    }


def _cut(answer: Json, language: str) -> Json:
    """Return `answer` with its longest lists, tables and texts shortened; `truncated` names up to eight of them."""
    answer = from_json(to_json(answer))
    lengths: dict[str, int] = {}
    while size(answer) > MOST_BYTES - 900:
        owner, name, path = max(_long_parts(answer), key=lambda part: size(part[0][part[1]]))
        whole = owner[name]
        lengths.setdefault(path, len(whole))
        owner[name] = _half(whole)
    shown = {path: _at(answer, path) for path in lengths}
    truncated = [{"field": path, "shown": shown[path], "total": length} for path, length in list(lengths.items())[:8]]
    return {**answer, "truncated": truncated, "hint": text(McpMsg.ANSWER_CUT).in_language(language)}


def _half(whole: Any) -> Any:
    if isinstance(whole, dict):
        return dict(list(whole.items())[: len(whole) // 2])
    return whole[: len(whole) // 2]


def _long_parts(value: Any, path: str = "") -> Iterator[tuple[Any, Any, str]]:
    """Yield owner, key and path of each list, table and text that can be shortened without removing record fields."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for name, inner in members:
        place = f"{path}.{name}" if path else str(name)
        if isinstance(inner, list | str) and len(inner) > 1:
            yield value, name, place
        if isinstance(inner, dict) and len(inner) > 60:
            yield value, name, place
        if isinstance(inner, list | dict):
            yield from _long_parts(inner, place)


def _at(answer: Any, path: str) -> int:
    for name in path.split("."):
        answer = answer[int(name)] if isinstance(answer, list) else answer.get(name, ())
    return len(answer)
