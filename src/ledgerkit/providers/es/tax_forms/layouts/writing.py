"""Files of the tax agency's forms, written from values: pages in an envelope, or a list of records."""

from collections import ChainMap
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ledgerkit.providers.api.records import FieldProblem
from ledgerkit.providers.api.tax_forms import IncompleteDeclarationError, TaxPeriod
from ledgerkit.providers.es.tax_forms.layouts.completion import (
    INHERITED,
    PERIOD_FIELDS,
    Part,
    check_names,
    completed,
    missing_fields,
    path,
    written_pages,
)
from ledgerkit.providers.es.tax_forms.layouts.design import Design, Field, Segment, Value, Values
from ledgerkit.providers.es.tax_forms.layouts.designs import LINE_BREAK, design_for, envelope_end, envelope_start
from ledgerkit.providers.es.tax_forms.layouts.encoding import RefusedValueError, encode, is_filled
from ledgerkit.providers.es.tax_forms.messages import LayoutMsg

ENCODING = "iso-8859-1"

RECORD = "record"
"""Name under which a line of a list says which record it is."""


def render(form: str, period: TaxPeriod, values: Values, records: Sequence[Values] = ()) -> bytes:
    """Return the file of a form on the design in force for the period.

    `values` are by the official number of a box or by the name of a field, without year and period; absent ones are
    the design's usual value, or blank, zero or no. `records` are the lines of a list; each says under `record` what it
    is, where the design has several, and leaves out year and tax id of the declarant.

    Raises IncompleteDeclarationError for absent mandatory fields and values that do not fit their fields,
    UnknownDesignError for a period without design, ValueError for names that the design does not have, and TypeError
    for values of another type than their field's.
    """
    text, refusals = _written(design_for(form, period), period, values, records)
    if refusals:
        raise IncompleteDeclarationError(refusals)
    return text.encode(ENCODING)


def problems(form: str, period: TaxPeriod, values: Values, records: Sequence[Values] = ()) -> tuple[FieldProblem, ...]:
    """Return all that keeps `render` from writing the file; apart from that it raises like `render`."""
    _, refusals = _written(design_for(form, period), period, values, records)
    return tuple(refusals)


def _written(
    design: Design, period: TaxPeriod, values: Values, records: Sequence[Values]
) -> tuple[str, list[FieldProblem]]:
    """Return the text of the file and the reasons why it is none: values that are refused are left out of it."""
    if design.pages:
        return _paged(design, period, values, records)
    check_names([design.declarant], values, PERIOD_FIELDS)
    whole = completed(design, period, values)
    head = Part(design=design, period=period, segments=(design.declarant,), values=whole)
    parts = [head, *(_record_part(head, number, record) for number, record in enumerate(records))]
    texts, refusals = zip(*map(_encoded, parts), strict=True)
    return "".join(text + LINE_BREAK for text in texts), [record for several in refusals for record in several]


def _paged(
    design: Design, period: TaxPeriod, values: Values, records: Sequence[Values]
) -> tuple[str, list[FieldProblem]]:
    if records:
        raise ValueError(f"form {design.form} is no list of records")
    start, end = envelope_start(design.form), envelope_end(design.form)
    check_names((start, *design.pages), values, PERIOD_FIELDS)
    whole = Part(design=design, period=period, segments=design.pages, values=completed(design, period, values))
    pages = written_pages(whole)
    text, refusals = _encoded(replace(whole, segments=(start, *pages, end)))
    return text + LINE_BREAK * design.final_break, [*refusals, *_left_out(whole, pages)]


def _left_out(whole: Part, pages: Sequence[Segment]) -> Iterator[FieldProblem]:
    """Yield a problem for each value whose page the file does not have: nothing is left out silently."""
    form = whole.design.form
    for page in whole.segments:
        for name in page.named if page not in pages else ():
            if is_filled(whole.values.get(name)):
                yield FieldProblem.of(path(name), "PAGE_ABSENT", LayoutMsg.PAGE_ABSENT, form=form, page=page.name)


def _record_part(head: Part, number: int, record: Values) -> Part:
    """Return a line of a list with the values that it repeats from the declarant."""
    segment = _record_segment(head.design, record)
    filled: dict[str, Value] = {name: value for name, value in record.items() if name != RECORD}
    check_names([segment], filled, INHERITED)
    repeated: dict[str, Value] = {name: head.values.get(name) for name in INHERITED}
    return Part(
        design=head.design,
        period=head.period,
        segments=(segment,),
        values=ChainMap(repeated, filled),
        record=segment.name,
        prefix=f"records[{number}].",
    )


def _record_segment(design: Design, record: Values) -> Segment:
    """Return the record that a line of a list is. Raises ValueError where it names none of several."""
    kinds = {segment.name: segment for segment in design.records[1:]}
    if RECORD not in record and len(kinds) == 1:
        return design.records[1]
    name = str(record.get(RECORD))
    if name not in kinds:
        raise ValueError(f"form {design.form}: {name!r} is none of the records {', '.join(kinds)}")
    return kinds[name]


def _encoded(part: Part) -> tuple[str, list[FieldProblem]]:
    outcomes = [_outcome(field, part) for segment in part.segments for field in segment.fields]
    refusals = [outcome for outcome in outcomes if isinstance(outcome, FieldProblem)]
    return "".join(outcome for outcome in outcomes if isinstance(outcome, str)), [*missing_fields(part), *refusals]


def _outcome(field: Field, part: Part) -> str | FieldProblem:
    try:
        return encode(field, part.values.get(field.name), part.design.style, path(field.name, part.prefix))
    except RefusedValueError as refused:
        return refused.problem
