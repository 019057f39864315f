"""Answer about an import of items: its errors, and doubts about what was stored."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from ledgerkit.core.catalog.texts import CatalogMsg
from ledgerkit.core.platform.api_types.texts import ApiTypesMsg
from ledgerkit.core.platform.imports.cells import RowError
from ledgerkit.core.platform.imports.rows import row_ranges
from ledgerkit.core.platform.imports.texts import ImportMsg
from ledgerkit.core.platform.request.context import Channel, Context
from ledgerkit.problems import Invalid
from ledgerkit.texts import Joined, Text, text

NAMED_ITEMS = 5
"""Items that a warning names."""

Errors = Mapping[int, RowError | Invalid]
"""Errors by the number of their row."""


def error_lines(ctx: Context, errors: Errors) -> list[str]:
    """Return the lines of the answer about the rows in error, in the language of the request.

    An assistant pays for each byte, so rows with the same problem share a line over MCP; other callers get a line each.
    """
    language = ctx.request_metadata.language
    problems = {place: _problem(error).in_language(language) for place, error in sorted(errors.items())}
    if ctx.actor.channel is Channel.MCP:
        lines = [_line(places, problem) for problem, places in _places(problems).items()]
    else:
        lines = [_line([place], problem) for place, problem in problems.items()]
    return [line.in_language(language) for line in lines]


def rates_not_in_force(ctx: Context, rates: Iterable[tuple[str, Decimal]]) -> list[Text]:
    """Return a warning for each tax rate that the country does not have today; `rates` are those of items, by name.

    Such an item is stored: the rate may be that of another tax than the general one, which an item does not name.
    Items are named, and not rows: a program may send the rows of one file in several requests.
    """
    if ctx.country is None:
        return []
    in_force = [rate.percent for rate in ctx.country.tax.rates(ctx.account.today())]
    names: dict[Decimal, list[str]] = {}
    for name, rate in rates:
        if rate not in in_force:
            names.setdefault(rate, []).append(name)
    allowed = ", ".join(map(_plain, in_force))
    return [
        text(CatalogMsg.RATE_NOT_IN_FORCE, rate=_plain(rate), allowed=allowed, items=_first(of_rate))
        for rate, of_rate in names.items()
    ]


def _first(names: Sequence[str]) -> Text:
    left_out = len(names) - NAMED_ITEMS
    more = [text(ApiTypesMsg.MORE_FIELDS, count=left_out)] if left_out > 0 else []
    return Joined([*names[:NAMED_ITEMS], *more])


def _places(by_place: Mapping[int, str]) -> dict[str, list[int]]:
    """Return the numbers of the rows that share a problem, by the problem."""
    places: dict[str, list[int]] = {}
    for place, problem in by_place.items():
        places.setdefault(problem, []).append(place)
    return places


def _line(places: Sequence[int], problem: str) -> Text:
    if len(places) == 1:
        return text(ImportMsg.ROW, number=places[0], problem=problem)
    return text(ImportMsg.ROWS, numbers=row_ranges(places), problem=problem)


def _problem(error: RowError | Invalid) -> Text:
    return error.text if isinstance(error, RowError) else error.text.message


def _plain(rate: Decimal) -> str:
    return f"{rate.normalize():f}"
