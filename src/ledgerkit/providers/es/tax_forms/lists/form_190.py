"""Form 190: yearly summary of form 111, a record for each payee and key.

Sources: RD 439/2007, art. 108.2; record design of 2025.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

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
from ledgerkit.providers.es.tax_forms.income.form_111 import FORM_111, KINDS
from ledgerkit.providers.es.tax_forms.income.retentions import EMPLOYMENT, PaidIncome
from ledgerkit.providers.es.tax_forms.income.warnings import omissions, warnings_where
from ledgerkit.providers.es.tax_forms.income.withheld_sums import withheld_contributions
from ledgerkit.providers.es.tax_forms.lists.declared import about_parties, declared, euros, party_fields
from ledgerkit.providers.es.tax_forms.lists.record_fields import FIELDS_190
from ledgerkit.providers.es.tax_forms.lists.withholding_rates import PROFESSIONAL, rate_of
from ledgerkit.providers.es.tax_forms.messages import IncomeFormMsg, ListFormMsg
from ledgerkit.providers.es.tax_forms.official_form import YEAR, OfficialForm, profile_in
from ledgerkit.providers.es.tax_forms.profile_details import Employee
from ledgerkit.providers.es.tax_forms.sheet import Sheet

RECORDS, PAID, WITHHELD = "01", "02", "03"

_FORM = BoxTexts("190")
BOXES: Mapping[str, Box] = by_key((_FORM.box(RECORDS, decimals=0), *_FORM.listed("02s- 03s")))

_EMPLOYEE, _PROFESSIONAL = "A", "G"
_OF_EMPLOYEES = ("birthYear", "familySituation", "contract")
"""Fields that the design demands of key A."""
_USUAL_SUBKEY = "01"


class _Line(NamedTuple):
    """Identity of a record: the payee with key and subkey of the income."""

    payee: str
    key: str
    subkey: str


class Form190(OfficialForm):
    """Yearly list of the payees, except landlords, from whose income tax was withheld."""

    code = "190"
    reads = (FORM_111,)
    counts_sales = False
    needs_records = True
    record_fields = FIELDS_190
    name = form_name("190")
    only_if = filed_only_if("190")
    period_codes = YEAR
    official_boxes = BOXES

    def purchase_days(self, purchase: PurchaseFacts) -> Collection[date]:
        return retentions.days_withheld(purchase, KINDS)

    def file_problems(self, content: FileInput) -> Sequence[FieldProblem]:
        """Return a problem for each datum that is not known of an employee."""
        return [
            FieldProblem.of(
                f"records[{number}].{name}", "MISSING", ListFormMsg.EMPLOYEE_MISSING, employee=record.get("partyName")
            )
            for number, record in enumerate(content.records)
            for name in _OF_EMPLOYEES
            if record.get("key") == _EMPLOYEE and not record.get(name)
        ]

    def is_indicated(self, period: TaxPeriod, outline: BooksOutline) -> bool:
        return retentions.withholds({"111", "190"}, KINDS, period, outline)

    def compute(self, form_input: FormInput) -> Computation:
        employees = {
            employee.tax_id: employee for employee in profile_in(form_input.profile, form_input.period).employees
        }
        span = form_input.period.span
        incomes = retentions.paid_incomes(form_input, FORM_111, {*KINDS, RetentionKind.OTHER})
        listed = [income for income in incomes.listed if income.kind in KINDS]
        records = list(_records(listed, employees))
        others = (income.purchase.document_id for income in incomes.listed if income.kind not in KINDS)
        return Sheet(boxes=BOXES, formulas={}).compute(
            form_input,
            withheld_contributions(listed, PAID, WITHHELD),
            lambda boxes: self.outcome(boxes, form_input.period),
            amounts={RECORDS: Decimal(len(records))},
            warnings=[
                *omissions(form_input.ledger, span),
                *incomes.warnings,
                *warnings_where((IncomeFormMsg.KIND_OTHER, others), *_doubts(listed, employees)),
                *about_parties(records),
            ],
            records=records,
        )


def _records(incomes: Sequence[PaidIncome], employees: Mapping[str, Employee]) -> Iterator[DeclaredRecord]:
    lines: defaultdict[_Line, list[PaidIncome]] = defaultdict(list)
    for income in incomes:
        lines[_line(income)].append(income)
    for line, paid in sorted(lines.items()):
        newest = max(paid, key=lambda income: (income.purchase.issue_date, income.purchase.document_id))
        cash = [income for income in paid if income.kind is not RetentionKind.EMPLOYMENT_IN_KIND]
        in_kind = [income for income in paid if income.kind is RetentionKind.EMPLOYMENT_IN_KIND]
        fields = {
            "record": "recipient",
            **party_fields(newest.purchase.vendor),
            "key": line.key,
            "subkey": line.subkey,
            "amount": euros(sum((income.purchase.retention_base for income in cash), ZERO)),
            "retention": euros(sum((income.purchase.retention for income in cash), ZERO)),
            "amountInKind": euros(sum((income.purchase.retention_base for income in in_kind), ZERO)),
            "paymentOnAccount": euros(sum((income.purchase.retention for income in in_kind), ZERO)),
            **(_employee_fields(line.payee, employees) if line.key == _EMPLOYEE else {}),
        }
        yield declared(fields, (income.purchase.document_id for income in paid))


def _employee_fields(payee: str, employees: Mapping[str, Employee]) -> Mapping[str, str | None]:
    return employees[payee].fields() if payee in employees else dict.fromkeys(_OF_EMPLOYEES)


def _line(income: PaidIncome) -> _Line:
    if income.kind in EMPLOYMENT:
        return _Line(income.payee, _EMPLOYEE, "")
    rate = rate_of(income.purchase, PROFESSIONAL)
    return _Line(income.payee, _PROFESSIONAL, rate.subkey if rate else _USUAL_SUBKEY)


def _doubts(
    incomes: Sequence[PaidIncome], employees: Mapping[str, Employee]
) -> Iterator[tuple[ListFormMsg, list[str]]]:
    unknown = [
        income.purchase.document_id for income in incomes if income.kind in EMPLOYMENT and income.payee not in employees
    ]
    yield ListFormMsg.EMPLOYEE_DETAILS, unknown
    professionals = [income.purchase for income in incomes if income.kind is RetentionKind.PROFESSIONAL]
    yield (
        ListFormMsg.RATE_UNUSUAL,
        [professional.document_id for professional in professionals if rate_of(professional, PROFESSIONAL) is None],
    )
