"""Search over all records that the caller may read: by words, numbers and amounts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.platform.imports.cells import RowError, number
from ledgerkit.core.platform.records import search
from ledgerkit.core.platform.request.acts import Money, short
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.searching import queries
from ledgerkit.core.searching.api import MOST_PER_TYPE, USUAL_PER_TYPE, Hit, RecordType, SearchResult
from ledgerkit.core.searching.queries import By, DeclarationHitRow, HitRow

_PERMISSIONS: Mapping[RecordType, Permission] = {
    RecordType.CLIENT: Permission.CLIENTS_READ,
    RecordType.INVOICE: Permission.INVOICES_READ,
    RecordType.VENDOR: Permission.VENDORS_READ,
    RecordType.SUPPLIER_INVOICE: Permission.SUPPLIER_INVOICES_READ,
    RecordType.EXPENSE: Permission.EXPENSES_READ,
    RecordType.CATALOG_ITEM: Permission.CATALOG_READ,
    RecordType.TASK: Permission.TASKS_READ,
    RecordType.TAX_DECLARATION: Permission.DECLARATIONS_READ,
    RecordType.CONTEXT_ENTRY: Permission.CONTEXT_READ,
}
"""Right to read the records of each type."""

_MOST_TERMS = 8
"""Words of a query that are looked for; the others are ignored."""

_MOST_SPLITS = 6
"""Ways to read a query as words beside an amount that are tried."""

_CURRENCY = re.compile(r"[€$£]|\b(?:eur|euros?)\b", re.IGNORECASE)
_AMOUNT = re.compile(r"-?\d{1,3}(?:[.,' ]?\d{3}){0,4}(?:[.,]\d{1,2})?", re.ASCII)
_QUARTER = re.compile(r"Q(\d)")
_CENT = Decimal("0.01")


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def find(ctx: Context, query: str, types: Sequence[RecordType] = (), limit: int = USUAL_PER_TYPE) -> SearchResult:
    """Return the records that have all words of the query, each at a word's beginning, whatever its case and accents.

    That holds for all types; of tasks the 2,000 newest are looked at, and of declarations the 400 newest. A number with
    at most two decimals also finds invoices, supplier invoices and expenses of that amount, alone or beside other
    words; of several numbers each is tried as the amount. Types that the caller may not read are left out. At most
    `limit` hits of each type; none for a query without a letter or digit.
    """
    readable = frozenset(each for each in types or RecordType if ctx.actor.may(_PERMISSIONS[each]))
    terms = query[: search.MAX_QUERY].split()[:_MOST_TERMS]
    if not readable or not any(map(search.words, terms)):
        return SearchResult(items=[], more=[])
    most = max(1, min(limit, MOST_PER_TYPE)) + 1
    rows = await _rows(ctx, terms, readable, most)
    items = [(row.is_exact, RecordType(row.type), _hit(ctx, row)) for row in rows]
    if RecordType.TAX_DECLARATION in readable:
        items += [(False, hit.type, hit) for hit in await _declarations(ctx, terms, most)]
    return _result(items, most - 1)


def _result(items: Iterable[tuple[bool, RecordType, Hit]], limit: int) -> SearchResult:
    """Return the hits in their order, each record once and not more than `limit` of a type."""
    order = list(RecordType)
    hits: dict[RecordType, dict[str, tuple[bool, Hit]]] = {}
    for is_exact, record_type, hit in items:
        hits.setdefault(record_type, {}).setdefault(hit.id, (is_exact, hit))
    shown = [pair for record_type in order for pair in list(hits.get(record_type, {}).values())[:limit]]
    return SearchResult(
        items=[hit for _, hit in sorted(shown, key=lambda pair: not pair[0])],
        more=[record_type for record_type in order if len(hits.get(record_type, {})) > limit],
    )


async def _rows(ctx: Context, terms: Sequence[str], readable: frozenset[RecordType], most: int) -> list[HitRow]:
    """Return the rows of the words, after those of an amount where the query is one."""
    whole, today = " ".join(terms), ctx.account.today()
    rows: list[HitRow] = []
    of_words, of_amount = queries.SEARCHED & readable, queries.WITH_AMOUNTS & readable
    if of_amount and (amounts := _amounts(whole)):
        statement = queries.hits(of_amount, By.AMOUNT)
        rows += await statement.rows(ctx.db, today=today, most=most, amounts=amounts)
    for words, amounts in _splits(terms) if of_amount else ():
        statement = queries.hits(of_amount, By.BOTH)
        rows += await statement.rows(ctx.db, today=today, most=most, amounts=amounts, **search.sought(words))
    if of_words:
        statement = queries.hits(of_words, By.WORDS)
        values = {"whole": search.searchable(whole), "starts": search.beginnings(whole), **search.sought(whole)}
        rows += await statement.rows(ctx.db, today=today, most=most, **values)
    return rows


def _splits(terms: Sequence[str]) -> list[tuple[str, list[Decimal]]]:
    """Return the ways to read a query as words beside one amount, which may be written with spaces: longest first."""
    splits: dict[tuple[str, tuple[Decimal, ...]], None] = {}
    for length in range(len(terms) - 1, 0, -1):
        for first in range(len(terms) - length + 1):
            amounts = _amounts(" ".join(terms[first : first + length]))
            others = [*terms[:first], *terms[first + length :]]
            words = " ".join(term for term in others if search.words(_CURRENCY.sub("", term)))
            if amounts and words:
                splits.setdefault((words, tuple(amounts)))
    return [(words, list(amounts)) for words, amounts in splits][:_MOST_SPLITS]


def _amounts(content: str) -> list[Decimal]:
    """Return the amounts that a text can be read as; none for a text that is no amount, as one with leading zeros."""
    plain = _CURRENCY.sub("", content).strip()
    if not _AMOUNT.fullmatch(plain) or re.match(r"-?0\d", plain):
        return []
    try:
        readings = {number(plain.replace("'", ""), ""), Decimal(re.sub(r"\D", "", plain))}
    except RowError:
        return []
    has_decimals = re.search(r"[.,]\d{1,2}$", plain) is not None
    return sorted(
        abs(reading)
        for reading in readings
        if reading == reading.quantize(_CENT) and (not has_decimals or reading == number(plain.replace("'", ""), ""))
    )


def _hit(ctx: Context, row: HitRow) -> Hit:
    amount = None if row.amount is None else _money(ctx, row.amount, row.currency)
    day = None if row.day is None else row.day.isoformat()
    return Hit(
        type=RecordType(row.type),
        id=row.id,
        label=short(row.label),
        detail=_line(short(row.note), day, amount, row.status),
    )


def _money(ctx: Context, amount: Decimal, currency: str | None) -> str:
    return Money(amount, currency or ctx.account.currency).in_language(ctx.request_metadata.language)


def _line(*parts: str | None) -> str:
    return " · ".join(part for part in parts if part)


async def _declarations(ctx: Context, terms: Sequence[str], most: int) -> list[Hit]:
    """Return the declarations whose form, name and period have all words."""
    folded = search.searchable(" ".join(terms)).split()
    hits: list[Hit] = []
    for row in await queries.DECLARATIONS.rows(ctx.db):
        names = _form_names(ctx, row)
        if all(_begins_a_word(term, names) for term in folded):
            detail = _line(short(names[-1]), _money(ctx, row.result, None), row.status)
            label = f"{row.form} {row.year} {row.period}"
            hits.append(Hit(type=RecordType.TAX_DECLARATION, id=row.id, label=label, detail=detail))
    return hits[:most]


def _form_names(ctx: Context, row: DeclarationHitRow) -> list[str]:
    """Return what a declaration is called: its period as people write it, and the form's names, the reader's last."""
    quarter = _QUARTER.sub(r"\1T T\1", row.period)
    provider = ctx.kernel.countries.get(row.country)
    form = next((form for form in provider.declarations if form.code == row.form), None) if provider else None
    words = [f"modelo {row.form} {row.year} {row.period} {quarter}"]
    if form is None:
        return [*words, ""]
    return [*words, *forms.wordings(form.name).values(), form.name.in_language(ctx.request_metadata.language)]


def _begins_a_word(term: str, names: Sequence[str]) -> bool:
    return any(word.startswith(term) for name in names for word in search.searchable(name).split())
