"""Readable draft of a declaration as a PDF: boxes by name, records, warnings; never the authority's own form."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from babel.numbers import format_decimal
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ledgerkit.core.declarations import output as declaration_output
from ledgerkit.core.declarations import queries as declaration_queries
from ledgerkit.core.declarations.computation import books
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms import places
from ledgerkit.core.declarations.forms import warnings as form_warnings
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.queries import ContentRow
from ledgerkit.core.declarations.table import (
    AMENDS,
    BOXES,
    RECORDS,
    TYPES,
    WARNINGS,
    DeclarationRow,
    StoredRecord,
    tax_declaration,
)
from ledgerkit.core.declarations.texts import DraftMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.documents.languages import check_language, usual_language, words_in
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.pdf import PdfPrinter, Reader
from ledgerkit.core.sales.invoices.pdf.formats import Formats, iban
from ledgerkit.core.sales.invoices.pdf.printed_invoice import PRINTING_ERRORS
from ledgerkit.providers.api import Box, FieldKind, RecordField, TaxProfile
from ledgerkit.texts import FixedText, text

_HEADINGS = [message.name.lower() for message in DraftMsg]
_ASSETS = Path(__file__).parent / "assets"


@dataclass(frozen=True)
class PrintedBox:
    """One box with a value; `computed` is the value that an override replaced."""

    key: str
    name: str
    value: str
    computed: str | None


@operation(Permission.DECLARATIONS_READ, unit=Unit.OWN, errors=PRINTING_ERRORS, effects=Effect.READ_ONLY)
async def pdf(ctx: Context, declaration_id: str, language: str | None = None) -> tuple[str, bytes]:
    """Return file name and PDF, by default in the usual language of the account's country.

    Boxes without a value are left out. Raises NotFound, Invalid, also PDF_TOO_LONG, BadGateway PDF_FAILED, Unavailable
    PDF_FAILED or PDF_LIBRARIES_MISSING.
    """
    check_language(ctx, language, "lang")

    async def read(inner: Context) -> tuple[DeclarationRow, ContentRow, TaxProfile | None]:
        row = await records.fetch(inner, tax_declaration, declaration_id, declaration_queries.WHAT)
        profile = await books.readable_profile(inner, row.country)
        return row, await declaration_queries.content(inner, row), profile

    row, content, profile = await ctx.read(read)
    spoken = language or usual_language(ctx.kernel.countries, ctx.account.country)
    html = _environment().get_template("draft.html").render(_values(ctx, row, content, profile, spoken))
    return f"{row.form}-{row.year}-{row.period}.pdf", await ctx.kernel.service(PdfPrinter).print_page(
        html, Reader(ctx.account.id)
    )


def _values(
    ctx: Context, row: DeclarationRow, content: ContentRow, profile: TaxProfile | None, language: str
) -> Mapping[str, object]:
    words = words_in(ctx.kernel.countries, ctx.account.country, language)
    formats = Formats(words, ctx.account.currency)
    of, of_day = forms.installed(ctx, row), form_warnings.of_day(ctx, row)
    warnings = [*WARNINGS.decode(row.warnings), *of_day, *places.warnings_now(of, row, profile)]
    period = f"{row.period} {row.year}" if of is None else of.form.period_name(of.period).in_language(language)
    heading = {name: text(DraftMsg(f"declarations.draft.{name}")).in_language(language) for name in _HEADINGS}
    lines = RecordLines(
        fields={} if of is None else of.form.record_fields,
        formats=formats,
        language=language,
        yes=heading["yes"],
        no=heading["no"],
    )
    return {
        "language": language,
        "title": f"{row.form} {period}",
        "form": row.form,
        "form_name": "" if of is None else of.form.name.in_language(language),
        "owner": ctx.account.party(),
        "w": words,
        "t": heading,
        "submitted_on": row.submitted_at,
        "facts": [
            (heading["period"], period),
            *_facts(row, heading, formats, language, ZoneInfo(ctx.account.time_zone)),
        ],
        "boxes": list(_boxes(of, row, formats, language)),
        "records": [lines.line(record) for record in RECORDS.decode(content.records)],
        "warnings": [forms.named(warning.message, language) for warning in warnings],
        "notes": row.notes,
        "fingerprint": row.file_sha256,
    }


def _facts(
    row: DeclarationRow, heading: Mapping[str, str], formats: Formats, language: str, zone: ZoneInfo
) -> Iterator[tuple[str, str]]:
    yield "", f"{formats.day(row.period_start)} - {formats.day(row.period_end)}"
    if row.due_date is not None:
        yield heading["due"], formats.day(row.due_date)
    if row.origin == "generated":
        yield heading["result"], formats.money(row.result)
    letter = declaration_output.effective_type(row)
    if letter is not None:
        name = forms.named(TYPES.decode(row.declaration_types).get(letter, {}), language)
        yield heading["type"], f"{letter} {name}".strip()
    if row.iban is not None:
        yield heading["iban"], iban(row.iban)
    if (amends := AMENDS.decode(row.amends)) is not None:
        yield heading["amends"], amends.receipt_number
    if row.submitted_at is not None:
        yield heading["submitted"], formats.day(row.submitted_at.astimezone(zone).date())


def _boxes(of: FormPeriod | None, row: DeclarationRow, formats: Formats, language: str) -> Iterator[PrintedBox]:
    boxes: Mapping[str, Box] = {} if of is None else of.boxes
    computed, overridden = BOXES.decode(row.boxes), BOXES.decode(row.manual_overrides)
    for key, value in BOXES.decode(row.effective_boxes).items():
        if value or key in overridden:
            box = boxes.get(key)
            original = computed.get(key, Decimal(0)) if key in overridden else None
            yield PrintedBox(
                key=key,
                name=box.name.in_language(language) if box else "",
                value=_number(box, value, formats),
                computed=None if original is None else _number(box, original, formats),
            )


def _number(box: Box | None, value: Decimal, formats: Formats) -> str:
    """Return the value without a currency: a box may hold a percentage or a count."""
    if box is not None and box.decimals == 0:
        return formats.number(value)
    return format_decimal(value, "#,##0.00", locale=formats.locale)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_ASSETS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@dataclass(frozen=True, kw_only=True)
class RecordLines:
    """Lines of a form's records in one language; a field that the form does not describe is shown unchanged."""

    fields: Mapping[str, RecordField]
    formats: Formats
    language: str
    yes: str
    no: str

    def line(self, record: StoredRecord) -> str:
        """Return the fields that have a value, each after its name."""
        filled = ((key, value) for key, value in record.fields.items() if value not in {None, ""})
        return " · ".join(self._field(key, value) for key, value in filled)

    def _field(self, key: str, value: object) -> str:
        described = self.fields.get(key, RecordField(name=FixedText(key)))
        return f"{described.name.in_language(self.language)}: {self._value(described, value)}"

    def _value(self, described: RecordField, value: object) -> str:
        match described.kind:
            case FieldKind.FLAG:
                return self.yes if value else self.no
            case FieldKind.AMOUNT:
                return self.formats.money(Decimal(str(value)))
            case FieldKind.PERCENT:
                return self.formats.percent(Decimal(str(value)))
            case FieldKind.TEXT:
                words = described.values.get(str(value))
                return str(value) if words is None else words.in_language(self.language)
