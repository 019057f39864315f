"""Designs in force for a form and a period, read from the TOML files beside this module at the first question.

Each file is a design in our own words; `notation` explains its lines. Positions, lengths, types and numbers of boxes
are facts of the official design that the file names as its source.
"""

import tomllib
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict

from ledgerkit.providers.api.tax_forms import TaxPeriod
from ledgerkit.providers.es.tax_forms.layouts.design import Condition, Design, Field, Requirement, Segment, Style, Usual
from ledgerkit.providers.es.tax_forms.layouts.notation import constant, parsed_fields

TAG_LENGTH = len("<T30301000>")


class UnknownDesignError(LookupError):
    """No official design of the form is known for the period."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _When(_Table):
    last_period: bool = False
    fields: dict[str, list[str]] = {}


class _Page(_Table):
    tag: str
    length: int
    fields: str
    only_filled: bool = False
    when: _When = _When()


class _Record(_Table):
    name: str
    fields: str


class _Required(_Table):
    fields: list[str]
    any_of: bool = False
    record: str | None = None
    when: _When = _When()


class _UsualTable(_Table):
    since: date = date.min
    until: date = date.max
    monthly: bool = False
    values: dict[str, str]


class _File(_Table):
    form: str
    code: str
    source: str
    since: date
    until: date = date.max
    blank_sign: bool = False
    accents: bool = True
    final_break: bool = False
    pages: list[_Page] = []
    records: list[_Record] = []
    required: list[_Required] = []
    usual: list[_UsualTable] = []


def design_for(form: str, period: TaxPeriod) -> Design:
    """Return the design in force on the last day of a period. Raises UnknownDesignError.

    The last day decides: the third quarter of 2024 is declared on the design of September 2024, July on the one before.
    """
    design = _in_force(form, period)
    if design is None:
        raise UnknownDesignError(f"form {form}, period {period.year} {period.code}")
    return design


def is_known(form: str, period: TaxPeriod) -> bool:
    """Return True where the official design of a period is known."""
    return _in_force(form, period) is not None


def nearest_design(form: str, period: TaxPeriod) -> Design:
    """Return the design in force; where that is not known, the newest one before the period, else the first.

    A form without a known design is a draft on the nearest one: its file waits for the design in force.
    """
    of_form = [design for design in all_designs() if design.form == form]
    earlier = [design for design in of_form if design.since <= period.span.last]
    return earlier[-1] if earlier else of_form[0]


def nearest_fields(form: str, period: TaxPeriod) -> Mapping[str, Field]:
    """Return the fields of the pages, or of the declarant's record, of the nearest design by their names."""
    return {name: field for segment in nearest_design(form, period).head for name, field in segment.named.items()}


def _in_force(form: str, period: TaxPeriod) -> Design | None:
    last = period.span.last
    of_form = (design for design in all_designs() if design.form == form)
    return next((design for design in of_form if design.since <= last <= design.until), None)


@lru_cache(maxsize=1)
def all_designs() -> tuple[Design, ...]:
    """Return every design, by form and date."""
    names = sorted(file.name for file in files(__package__).iterdir() if file.name.endswith(".toml"))
    return tuple(sorted(map(_read, names), key=lambda design: (design.form, design.since)))


def _read(name: str) -> Design:
    text = files(__package__).joinpath(name).read_text("utf-8")
    file = _File.model_validate(tomllib.loads(text))
    return Design(
        form=file.form,
        code=file.code,
        source=file.source,
        since=file.since,
        until=file.until,
        style=Style(blank_sign=file.blank_sign, accents=file.accents),
        pages=tuple(_page(file.form, page) for page in file.pages),
        records=tuple(Segment(name=record.name, fields=parsed_fields(record.fields)) for record in file.records),
        requirements=tuple(map(_requirement, file.required)),
        usual=tuple(map(_usual, file.usual)),
        final_break=file.final_break,
    )


def _page(form: str, page: _Page) -> Segment:
    """Return a page with its opening and closing tags around the fields of the file. Raises ValueError for a gap."""
    fields = parsed_fields(page.fields)
    end = fields[-1].position + fields[-1].length
    closing = constant(end, f"</T{form}{page.tag}>")
    if fields[0].position != TAG_LENGTH + 1 or end + closing.length - 1 != page.length:
        raise ValueError(f"form {form}, page {page.tag}: {end + closing.length - 1} characters, not {page.length}")
    return Segment(
        name=page.tag,
        fields=(constant(1, f"<T{form}{page.tag}>"), *fields, closing),
        condition=_condition(page.when),
        only_filled=page.only_filled,
    )


def _requirement(table: _Required) -> Requirement:
    return Requirement(
        fields=tuple(table.fields),
        condition=_condition(table.when),
        any_of=table.any_of,
        record=table.record,
    )


def _condition(when: _When) -> Condition:
    fields = {name: frozenset(characters) for name, characters in when.fields.items()}
    return Condition(last_period=when.last_period, fields=MappingProxyType(fields))


def _usual(table: _UsualTable) -> Usual:
    values = MappingProxyType(dict(table.values))
    return Usual(values=values, since=table.since, until=table.until, monthly=table.monthly)


LINE_BREAK = "\r\n"


@lru_cache
def envelope_start(form: str) -> Segment:
    """Return the fields before the pages; program version and the developer's tax id may stay blank."""
    description = f"""
        1    An6 "<T{form}0"
        7    An4,An2 year period
        13   An10 "0000><AUX>"
        23   An70 -
        93   An4 program_version
        97   An4 -
        101  An9 developer_tax_id
        110  An213 -
        323  An6 "</AUX>"
    """
    return Segment(name="start", fields=parsed_fields(description))


@lru_cache
def envelope_end(form: str) -> Segment:
    """Return the fields behind the pages."""
    description = f"""
        1    An7 "</T{form}0"
        8    An4,An2 year period
        14   An5 "0000>"
    """
    return Segment(name="end", fields=parsed_fields(description))
