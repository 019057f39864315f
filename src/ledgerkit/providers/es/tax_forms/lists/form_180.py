"""Form 180: yearly summary of form 115, a record for each landlord, property and rate.

Sources: RD 439/2007, art. 108.2; record design of 2014.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from stdnum.es import referenciacatastral

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    BooksOutline,
    Box,
    Computation,
    DeclaredRecord,
    FieldProblem,
    FileInput,
    FormInput,
    PurchaseFacts,
    RetentionKind,
    TaxPeriod,
)
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts, by_key, filed_only_if, form_name
from ledgerkit.providers.es.tax_forms.income import retentions
from ledgerkit.providers.es.tax_forms.income.form_115 import FORM_115
from ledgerkit.providers.es.tax_forms.income.retentions import PaidIncome
from ledgerkit.providers.es.tax_forms.income.warnings import omissions, warnings_where
from ledgerkit.providers.es.tax_forms.income.withheld_sums import withheld_contributions
from ledgerkit.providers.es.tax_forms.lists.declared import about_parties, declared, euros, party_fields
from ledgerkit.providers.es.tax_forms.lists.record_fields import FIELDS_180
from ledgerkit.providers.es.tax_forms.lists.withholding_rates import RENT, percent_withheld
from ledgerkit.providers.es.tax_forms.messages import ListFormMsg
from ledgerkit.providers.es.tax_forms.official_form import YEAR, OfficialForm, profile_in
from ledgerkit.providers.es.tax_forms.profile_details import LeasedProperty, PropertySituation, reference_key
from ledgerkit.providers.es.tax_forms.sheet import Sheet

RECORDS, BASE, WITHHELD = "01", "02", "03"

_FORM = BoxTexts("180")
BOXES: Mapping[str, Box] = by_key((_FORM.box(RECORDS, decimals=0), *_FORM.listed("02s- 03s")))

_IN_CASH = "1"


class _Line(NamedTuple):
    """Identity of a record: the landlord with the property and the percent that is withheld."""

    landlord: str
    leased_property: str
    percent: Decimal


class Form180(OfficialForm):
    """Yearly list of the landlords from whose rent income tax was withheld."""

    code = "180"
    reads = (FORM_115,)
    counts_sales = False
    needs_records = True
    record_fields = FIELDS_180
    name = form_name("180")
    only_if = filed_only_if("180")
    period_codes = YEAR
    official_boxes = BOXES

    def is_indicated(self, period: TaxPeriod, outline: BooksOutline) -> bool:
        return retentions.withholds({"115", "180"}, {RetentionKind.RENT}, period, outline)

    def purchase_days(self, purchase: PurchaseFacts) -> Collection[date]:
        return retentions.days_withheld(purchase, {RetentionKind.RENT})

    def file_problems(self, content: FileInput) -> Sequence[FieldProblem]:
        """Return a problem for each record of a property whose situation is not known."""
        return [
            FieldProblem.of(f"records[{number}].propertySituation", "MISSING", ListFormMsg.PROPERTY_MISSING)
            for number, record in enumerate(content.records)
            if not record.get("propertySituation")
        ]

    def compute(self, form_input: FormInput) -> Computation:
        profile, span = profile_in(form_input.profile, form_input.period), form_input.period.span
        incomes = retentions.paid_incomes(form_input, FORM_115, {RetentionKind.RENT})
        properties = {leased_property.key: leased_property for leased_property in profile.leased_properties}
        records = list(_records(incomes.listed, properties))
        unplaced = (key for record in records if not record.fields["propertySituation"] for key in record.document_ids)
        return Sheet(boxes=BOXES, formulas={}).compute(
            form_input,
            withheld_contributions(incomes.listed, BASE, WITHHELD),
            lambda boxes: self.outcome(boxes, form_input.period),
            amounts={RECORDS: Decimal(len(records))},
            warnings=[
                *omissions(form_input.ledger, span),
                *incomes.warnings,
                *warnings_where((ListFormMsg.PROPERTY_UNKNOWN, unplaced)),
                *about_parties(records),
            ],
            records=records,
        )


def _records(incomes: Sequence[PaidIncome], properties: Mapping[str, LeasedProperty]) -> Iterator[DeclaredRecord]:
    lines: defaultdict[_Line, list[PaidIncome]] = defaultdict(list)
    for income in incomes:
        reference = reference_key(income.purchase.leased_property)
        lines[_Line(income.payee, reference, percent_withheld(income.purchase, RENT))].append(income)
    for line, paid in sorted(lines.items()):
        newest = max(paid, key=lambda income: (income.purchase.issue_date, income.purchase.document_id))
        fields = {
            "record": "recipient",
            **party_fields(newest.purchase.vendor),
            "modality": _IN_CASH,
            "base": euros(sum((income.purchase.retention_base for income in paid), ZERO)),
            "rate": euros(line.percent),
            "retention": euros(sum((income.purchase.retention for income in paid), ZERO)),
            **_property_fields(line.leased_property, properties),
        }
        yield declared(fields, (income.purchase.document_id for income in paid))


def _property_fields(reference: str, properties: Mapping[str, LeasedProperty]) -> Mapping[str, str | None]:
    """Return the data of a property for its record: those of the profile, else those that follow from its reference."""
    if reference in properties:
        return properties[reference].fields()
    situation = PropertySituation.WITH_REFERENCE.value if referenciacatastral.is_valid(reference) else None
    return {"propertySituation": situation, "cadastralReference": reference or None}
