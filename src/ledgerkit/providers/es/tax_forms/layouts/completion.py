"""Values of a file with all that stands for absent ones, and what the design demands of them."""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ledgerkit.providers.api.records import FieldProblem
from ledgerkit.providers.api.tax_forms import TaxPeriod
from ledgerkit.providers.es.tax_forms.layouts.design import (
    Condition,
    Content,
    Design,
    Field,
    Segment,
    Value,
    Values,
    official_period,
)
from ledgerkit.providers.es.tax_forms.layouts.encoding import RefusedValueError, encode, is_filled
from ledgerkit.providers.es.tax_forms.messages import LayoutMsg
from ledgerkit.texts import Joined

PERIOD_FIELDS = frozenset({"year", "period"})
"""Fields that follow from the period."""

DERIVED = frozenset({"sepa_mark"})
"""Fields that follow from others, which are demanded too: those are named where both are absent."""

INHERITED = ("year", "tax_id")
"""Fields that each record of a list repeats from that of the declarant."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """Pages of a form, or one record of a list, with their complete values.

    `record` names the list's record, None that of the declarant; `prefix` begins the wire path of its fields.
    """

    design: Design
    period: TaxPeriod
    segments: tuple[Segment, ...]
    values: Values
    record: str | None = None
    prefix: str = ""


def completed(design: Design, period: TaxPeriod, values: Values) -> Values:
    """Return the values with those of the period, and with the usual ones where they are absent."""
    filled: dict[str, Value] = {name: value for name, value in values.items() if value is not None}
    usual: dict[str, Value] = {}
    for usual_values in design.usual:
        if usual_values.applies(period):
            usual |= {name: _filled_in(value, period) for name, value in usual_values.values.items()}
    computed: dict[str, Value] = {"year": str(period.year), "period": official_period(period)}
    return ChainMap(computed, filled, usual)


def _filled_in(template: str, period: TaxPeriod) -> str:
    """Return a usual value with `{year}` and `{month}`, the period's last one in two figures, filled in."""
    return template.format(year=period.year, month=f"{period.span.last.month:02d}")


def check_names(segments: Iterable[Segment], values: Values, computed: Iterable[str]) -> None:
    """Raise ValueError for values whose names no field of the segments has, or only those that are computed."""
    if unknown := sorted(values.keys() - (_named(segments).keys() - set(computed))):
        raise ValueError(f"no field is named {', '.join(unknown)}")


def written_pages(part: Part) -> list[Segment]:
    """Return the pages that the file has, in order, of a part that has all of the design."""
    return [
        page
        for page in part.segments
        if holds(page.condition, part)
        and (not page.only_filled or any(is_filled(part.values.get(name)) for name in page.named))
    ]


def holds(condition: Condition, part: Part) -> bool:
    """Return True where a condition holds; a value that its field refuses fulfils none."""
    if condition.last_period and not part.period.is_last_of_year:
        return False
    fields = _named(part.segments)
    return all(_characters(fields[name], part) in characters for name, characters in condition.fields.items())


def missing_fields(part: Part) -> Iterator[FieldProblem]:
    """Yield a problem for each field that is mandatory, by itself or by a requirement that applies, and absent."""
    fields = _named(part.segments)
    absent = {name for name, field in fields.items() if not _is_given(field, part.values.get(name))}
    applying = [
        requirement
        for requirement in part.design.requirements
        if requirement.record == part.record and holds(requirement.condition, part)
    ]
    alternatives = [field.fields for field in applying if field.any_of]
    demanded = [name for field in applying if not field.any_of for name in field.fields]
    mandatory = [name for name, field in fields.items() if field.mandatory]
    missing = LayoutMsg.MISSING if part.record is None else LayoutMsg.MISSING_OF_RECORD
    for name in dict.fromkeys([*mandatory, *demanded]):
        if name in absent and not (name in DERIVED and "iban" in absent):
            yield FieldProblem.of(path(name, part.prefix), "MISSING", missing, form=part.design.form)
    yield from (_one_of_missing(names, part) for names in alternatives if absent.issuperset(names))


def path(name: str, prefix: str = "") -> str:
    """Return the wire path of a field: `boxes.07`, `taxId`, `records[0].partyName`."""
    if name.isdigit():
        return f"{prefix}boxes.{name}"
    first, *others = name.split("_")
    return prefix + first + "".join(word.capitalize() for word in others)


def _one_of_missing(names: Sequence[str], part: Part) -> FieldProblem:
    paths = [path(name, part.prefix) for name in names]
    return FieldProblem.of(paths[0], "MISSING", LayoutMsg.ONE_OF_MISSING, listed=Joined(tuple(paths)))


def _is_given(field: Field, value: Value) -> bool:
    return bool(str(value or "").strip()) if field.content is Content.TEXT else is_filled(value)


def _named(segments: Iterable[Segment]) -> Mapping[str, Field]:
    return {name: field for segment in segments for name, field in segment.named.items()}


def _characters(field: Field, part: Part) -> str:
    try:
        return encode(field, part.values.get(field.name), part.design.style, "").strip()
    except RefusedValueError:
        return ""
