"""Values read from the files of the tax agency's forms; the inverse of `writing`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.providers.api.tax_forms import TaxPeriod, UnreadableFileError
from ledgerkit.providers.es.tax_forms.layouts.completion import INHERITED
from ledgerkit.providers.es.tax_forms.layouts.design import (
    Design,
    Segment,
    Style,
    Value,
    Values,
    official_period,
    read_period,
)
from ledgerkit.providers.es.tax_forms.layouts.designs import (
    LINE_BREAK,
    TAG_LENGTH,
    UnknownDesignError,
    design_for,
    envelope_end,
    envelope_start,
)
from ledgerkit.providers.es.tax_forms.layouts.encoding import decode
from ledgerkit.providers.es.tax_forms.layouts.writing import ENCODING, RECORD


@dataclass(frozen=True, kw_only=True)
class FileContent:
    """Content of a file: every field of its pages, or of the declarant's record, and the lines of a list.

    Amounts are Decimal, flags bool, all else str; blank texts and identifications of zeros are "". Each line names its
    record under `record`, and leaves out what it repeats from the declarant.
    """

    form: str
    period: TaxPeriod
    design: str
    values: Values
    records: tuple[Values, ...] = ()

    @property
    def boxes(self) -> Mapping[str, Decimal]:
        """Boxes that hold a number, by their official number."""
        return {name: value for name, value in self.values.items() if name.isdigit() and isinstance(value, Decimal)}


def read(form: str, content: bytes) -> FileContent:
    """Read a file of a form, on the design in force for the period that the file names.

    Raises UnreadableFileError for another form, an unknown period, wrong lengths, tags, order of pages, or characters
    that a field cannot have.
    """
    text = content.decode(ENCODING)
    if text.startswith(f"<T{form}"):
        return _read_pages(form, text.removesuffix(LINE_BREAK))
    return _read_list(form, text)


def _read_pages(form: str, text: str) -> FileContent:
    start, end = envelope_start(form), envelope_end(form)
    values = _decoded(start, text[: start.length], Style())
    period = read_period(str(values["year"]), str(values["period"]))
    design = _design(form, period)
    pages = text[start.length : -end.length]
    if _decoded(end, text[start.length + len(pages) :], Style()) != {name: values[name] for name in end.named}:
        raise UnreadableFileError("the closing tag is of another period than the opening one")
    values = _without_period(values, period)
    for page, characters in _split(design, pages):
        values |= _without_period(_decoded(page, characters, design.style), period)
    return FileContent(form=form, period=period, design=design.code, values=values)


def _split(design: Design, text: str) -> Iterator[tuple[Segment, str]]:
    """Yield each page with its characters. Raises UnreadableFileError unless all are there that a file always has."""
    waiting = list(design.pages)
    while text:
        page = _next_page(design, waiting, text)
        yield page, text[: page.length]
        text = text[page.length :]
    _check_skipped(waiting)


def _next_page(design: Design, waiting: list[Segment], text: str) -> Segment:
    """Return the page that the text begins with, and take it and those before it from the waiting ones."""
    tag = text[:TAG_LENGTH]
    place = next((place for place, page in enumerate(waiting) if tag == f"<T{design.form}{page.name}>"), None)
    if place is None:
        raise UnreadableFileError(f"{tag!r} is no page that may stand here")
    _check_skipped(waiting[:place])
    page = waiting[place]
    del waiting[: place + 1]
    return page


def _check_skipped(pages: Sequence[Segment]) -> None:
    for page in pages:
        if not (page.only_filled or page.condition.last_period or page.condition.fields):
            raise UnreadableFileError(f"page {page.name} is absent")


def _read_list(form: str, text: str) -> FileContent:
    if text[1:4] != form or not text.endswith(LINE_BREAK):
        raise UnreadableFileError(f"no file of form {form}")
    first, *lines = text.removesuffix(LINE_BREAK).split(LINE_BREAK)
    period = _list_period(form, first)
    design = _design(form, period)
    values = _decoded(design.declarant, first, design.style)
    records = tuple(_read_record(design, line, values) for line in lines)
    return FileContent(
        form=form, period=period, design=design.code, values=_without_period(values, period), records=records
    )


def _list_period(form: str, first: str) -> TaxPeriod:
    """Return the period of a list, whose record of the declarant has the year at 5 and, if quarterly, a period."""
    year = read_period(first[4:8], "0A")
    field = _design(form, year).declarant.named.get("period")
    if field is None:
        return year
    return read_period(first[4:8], first[field.position - 1 : field.position - 1 + field.length])


def _read_record(design: Design, line: str, head: Values) -> Values:
    """Return the values of the first record of the design that the line can be."""
    failures = []
    for segment in design.records[1:]:
        try:
            values = _decoded(segment, line, design.style)
        except UnreadableFileError as failure:
            failures.append(f"{segment.name}: {failure}")
        else:
            return _own_values(segment, values, head)
    raise UnreadableFileError("; ".join(failures))


def _own_values(segment: Segment, values: dict[str, Value], head: Values) -> Values:
    for name in INHERITED:
        if values.pop(name) != head[name]:
            raise UnreadableFileError(f"a record has another {name} than the declarant")
    return {RECORD: segment.name, **values}


def _decoded(segment: Segment, characters: str, style: Style) -> dict[str, Value]:
    if len(characters) != segment.length:
        raise UnreadableFileError(f"{segment.name}: {len(characters)} characters, not {segment.length}")
    values = {}
    for field in segment.fields:
        begin = field.position - 1
        try:
            values[field.name] = decode(field, characters[begin : begin + field.length], style)
        except UnreadableFileError as failure:
            raise UnreadableFileError(f"{segment.name}, {failure}") from None
    values.pop("", None)
    return values


def _without_period(values: Mapping[str, Value], period: TaxPeriod) -> dict[str, Value]:
    """Return the values but year and period. Raises UnreadableFileError unless they are those of the file."""
    expected = {"year": str(period.year), "period": official_period(period)}
    if any(values.get(name, value) != value for name, value in expected.items()):
        raise UnreadableFileError(f"year or period differ from those of the file: {expected}")
    return {name: value for name, value in values.items() if name not in expected}


def _design(form: str, period: TaxPeriod) -> Design:
    try:
        return design_for(form, period)
    except UnknownDesignError as unknown:
        raise UnreadableFileError(f"no design is known: {unknown}") from None
