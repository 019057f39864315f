"""Rows of a file as typed rows: columns by their names on the wire or their Spanish ones, cells by their kinds."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from functools import cached_property
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_camel

from ledgerkit.core.platform.api_types.texts import ApiTypesMsg
from ledgerkit.core.platform.api_types.validation import field_errors, printable
from ledgerkit.core.platform.event_loop.turns import in_turns
from ledgerkit.core.platform.imports import cells
from ledgerkit.core.platform.imports.api import DocumentsImported, ImportProblem
from ledgerkit.core.platform.imports.cells import RowError, is_empty
from ledgerkit.core.platform.imports.texts import ImportMsg
from ledgerkit.core.platform.records.search import fold
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Invalid
from ledgerkit.texts import Joined, Text, text

RowT = TypeVar("RowT", bound=BaseModel)
NAMED_COLUMNS = 20
"""Unknown columns that a warning names."""

_SIMILAR = 0.75
"""Least likeness, from 0 to 1, of two names of columns of which one may be meant by the other."""

T = TypeVar("T")
"""Value of a field that all rows of a document share."""


_READERS: Mapping[object, Callable[[str, str], object]] = {
    Decimal: cells.number,
    int: cells.number,
    date: cells.day,
    bool: cells.truth,
}
"""Readers of texts, by the types of the fields that hold what they read; others hold the text."""


@dataclass(frozen=True, kw_only=True)
class Columns(Generic[RowT]):
    """Columns of a kind of file: the typed row, further names of its fields, and further words for their values.

    Fields are named as on the wire. Further names and words are without case, accents and separators.
    """

    row: type[RowT]
    names: Mapping[str, Sequence[str]]
    words: Mapping[str, Mapping[str, Sequence[str]]]

    def wire_name(self, header: str) -> str | None:
        """Return the wire name of a column, whatever its case, accents and separators; None for an unknown one."""
        return self._names.get(folded_name(header))

    def cell(self, name: str, value: object) -> object:
        """Return a cell's value; text as what its field holds. Raises RowError."""
        if not isinstance(value, str):
            return value
        content = value.strip()
        if name in self._readers:
            return self._readers[name](content, name)
        return self._words[name].get(folded_name(content), content) if name in self._words else content

    def nearest(self, header: str) -> str | None:
        """Return the wire name of the column that an unknown one may mean, if there is one."""
        return nearest_name(header, self._names)

    @cached_property
    def _names(self) -> Mapping[str, str]:
        own_names = map(to_camel, self.row.model_fields)
        return _by_word(self.names) | {name.casefold(): name for name in own_names}

    @cached_property
    def _words(self) -> Mapping[str, Mapping[str, str]]:
        return {name: _by_word(words) for name, words in self.words.items()}

    @cached_property
    def _readers(self) -> Mapping[str, Callable[[str, str], object]]:
        types = {to_camel(name): _type_of_values(field.annotation) for name, field in self.row.model_fields.items()}
        return {name: _READERS[of_values] for name, of_values in types.items() if of_values in _READERS}


def _by_word(words: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {word: name for name, synonyms in words.items() for word in (folded_name(name), *synonyms)}


def _type_of_values(annotation: object) -> object:
    """Return the type of a field's values, without its bounds and without None."""
    if get_origin(annotation) in {Union, UnionType}:
        [annotation] = (option for option in get_args(annotation) if option is not NoneType)
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


@dataclass(frozen=True)
class NumberedRow(Generic[RowT]):
    """Row that could be read, and its place in the file, counted from 1."""

    place: int
    fields: RowT


@dataclass(frozen=True)
class RowProblem:
    """One reason why a row cannot be imported, without the error itself, which refers to the whole import."""

    place: int
    number: str | None
    field: str | None
    text: Text

    def shown(self, language: str) -> ImportProblem:
        """Return the reason as the answer states it."""
        message = text(ImportMsg.ROW, number=self.place, problem=self.text).in_language(language)
        return ImportProblem(row=self.place, field=self.field, number=self.number, message=message)


@dataclass
class Report:
    """Problems and warnings about the rows of one import."""

    problems: list[RowProblem] = field(default_factory=list)
    warnings: list[Text] = field(default_factory=list)

    def refuse(self, place: int, number: str | None, error: RowError | Invalid) -> None:
        """Note that the row at `place` cannot be imported; an Invalid names the field first in its errors."""
        for row_error in _row_errors(error):
            self.problems.append(RowProblem(row_error.place or place, number, row_error.field, row_error.text))

    async def answer(
        self, ctx: Context, documents: Sequence[object], *, rows: int, total: Decimal, dry_run: bool
    ) -> DocumentsImported:
        """Return the answer, in the language of the request."""
        language = ctx.request_metadata.language
        is_clean = not self.problems
        return DocumentsImported(
            dry_run=dry_run,
            imported=rows if is_clean else 0,
            documents=len(documents) if is_clean else 0,
            total=total if is_clean else Decimal(0),
            errors=[
                problem.shown(language) async for problem in in_turns(sorted(self.problems, key=attrgetter("place")))
            ],
            warnings=[warning.in_language(language) async for warning in in_turns(self.warnings)],
        )


def _row_errors(error: RowError | Invalid) -> list[RowError]:
    if isinstance(error, RowError):
        return [error]
    named = [RowError(wrong.text.message, field=wrong.field.rpartition("].")[2]) for wrong in error.errors]
    return named or [RowError(error.text.message)]


async def read(rows: Iterable[object], columns: Columns[RowT], report: Report) -> list[NumberedRow[RowT]]:
    """Return the typed rows; what cannot be read is noted in `report`, and columns that nobody knows too."""
    typed_rows: list[NumberedRow[RowT]] = []
    names: dict[str, str | None] = {}
    async for place, row in in_turns(enumerate(rows, start=1)):
        try:
            typed_rows.append(NumberedRow(place, _typed(row, columns, names)))
        except RowError as error:
            report.refuse(place, None, error)
    unknown = [header for header, name in names.items() if name is None and header]
    report.warnings += columns_ignored(unknown, columns.nearest)
    return typed_rows


def columns_ignored(headers: Sequence[str], nearest: Callable[[str], str | None]) -> list[Text]:
    """Return the warning that names columns which nobody knows, the first NAMED_COLUMNS of them; none for none.

    Each is named with the column that may be meant, which `nearest` returns for a header, if there is one.
    """
    if not headers:
        return []
    left_out = len(headers) - NAMED_COLUMNS
    more = [text(ApiTypesMsg.MORE_FIELDS, count=left_out)] if left_out > 0 else []
    named = Joined([*(_with_similar(header, nearest(header)) for header in headers[:NAMED_COLUMNS]), *more])
    return [text(ImportMsg.COLUMNS_IGNORED, columns=named)]


def _with_similar(header: str, similar: str | None) -> str | Text:
    column = printable(header) or '""'
    return text(ImportMsg.COLUMN_SIMILAR, column=column, similar=similar) if similar else column


def nearest_name(header: str, known_words: Mapping[str, str]) -> str | None:
    """Return the column whose word is most like a header, which nobody knows; None for one like no other.

    `known_words` are words for columns, as `folded_name` writes them, and the names of their columns.
    """
    words = get_close_matches(folded_name(printable(header)), list(known_words), n=1, cutoff=_SIMILAR)
    return known_words[words[0]] if words else None


def row_ranges(places: Sequence[int]) -> str:
    """Return ascending numbers of rows in short: `1-3, 7`."""
    ranges: list[tuple[int, int]] = []
    for place in places:
        if ranges and place == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], place)
        else:
            ranges.append((place, place))
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


async def grouped(rows: Iterable[NumberedRow[RowT]], key: Callable[[RowT], Hashable]) -> list[list[NumberedRow[RowT]]]:
    """Return the rows of each document, in the order of their first rows."""
    groups: dict[Hashable, list[NumberedRow[RowT]]] = {}
    async for row in in_turns(rows):
        groups.setdefault(key(row.fields), []).append(row)
    return list(groups.values())


def shared(group: Sequence[NumberedRow[RowT]], name: str) -> Any:
    """Return the value that the rows of one document state for a field; rows may leave it out. Raises RowError."""
    stated = [(row.place, getattr(row.fields, name)) for row in group if getattr(row.fields, name) is not None]
    if not stated:
        return None
    first_place, value = stated[0]
    for place, other in stated:
        if other != value:
            raise RowError(ImportMsg.DIFFERS_FROM_ROW, field=to_camel(name), place=place, first=first_place)
    return value


def _typed(row: object, columns: Columns[RowT], names: dict[str, str | None]) -> RowT:
    """Return the typed row; `names` remembers the wire name of each header. Raises RowError."""
    values: dict[str, object] = {}
    for header, value in _cells(row).items():
        if header not in names:
            names[header] = columns.wire_name(header)
        name = names[header]
        if name is not None and not is_empty(value):
            values[name] = columns.cell(name, value)
    try:
        return columns.row.model_validate(values)
    except ValidationError as error:
        wrong = field_errors(error.errors())[0]
        message = text(ImportMsg.FIELD_REQUIRED) if wrong.code == "missing" else wrong.text.message
        raise RowError(message, field=wrong.field) from None


def _cells(row: object) -> Mapping[str, object]:
    if not isinstance(row, Mapping):
        raise RowError(ImportMsg.NOT_AN_OBJECT)
    if "" in row:
        raise RowError(ImportMsg.TOO_MANY_CELLS)
    if len(row) == 1 and ";" in next(iter(row)):
        raise RowError(ImportMsg.NOT_SPLIT)
    return row


def folded_name(header: str) -> str:
    """Return a name without case, accents and separators: `Nº factura` and `no_factura` are `nofactura`."""
    return "".join(character for character in fold(header) if character.isalnum())
