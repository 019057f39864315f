"""Vetania, a country of the tests: no authority, one tax, and two forms, so that core is tried without Spain's."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import ClassVar

from ledgerkit.money import RoundingPolicy
from ledgerkit.providers.api import (
    Box,
    Computation,
    CorrectedDocuments,
    CorrectionReason,
    CountryProvider,
    DeclarationWarning,
    DeclaredRecord,
    DocumentKind,
    Evidence,
    FieldKind,
    FieldProblem,
    FileInput,
    FormFile,
    FormInput,
    HintedField,
    IncompleteDeclarationError,
    NumberingRules,
    Party,
    ReadFile,
    RecordField,
    ResultKind,
    TaxFacts,
    TaxForm,
    TaxIdCheck,
    TaxPeriod,
    TaxProfile,
    TaxRate,
    TaxWords,
    UnreadableFileError,
)
from ledgerkit.texts import FixedText, ProblemText

QUARTERS = ("Q1", "Q2", "Q3", "Q4")
CENT = Decimal("0.01")
NAMES = ("client", "amount")


def said(english: str, spanish: str) -> FixedText:
    return FixedText(english, {"en": english, "es": spanish})


class Profile(TaxProfile):
    """Two facts about the taxpayer, and an amount."""

    exempt: bool = False
    files_lists: bool = True
    last_income: Decimal | None = None


_LAST_DAY, _ACT = date(2089, 12, 31), "Vetanian Tax Act"
FACTS = TaxFacts(
    rates=(
        TaxRate(percent=Decimal(10), since=date(2000, 1, 1), until=_LAST_DAY, name="tax", source=_ACT),
        TaxRate(percent=Decimal(12), since=_LAST_DAY + timedelta(days=1), until=None, name="tax", source=_ACT),
    ),
    corrections=(
        CorrectionReason(
            code="C",
            label="Correction",
            documents=tuple(
                CorrectedDocuments(kind=kind) for kind in DocumentKind if kind is not DocumentKind.CREDIT_NOTE
            ),
        ),
    ),
    words=TaxWords(tax="levy", income_tax="income levy", retention="withheld levy"),
    hints={HintedField.RETENTION_RATE: "3 % if a bank pays"},
)


class VetanianTax:
    rounding = RoundingPolicy(per="document")
    numbering = NumberingRules(
        series={DocumentKind.INVOICE: "V", DocumentKind.SIMPLIFIED: "VS", DocumentKind.CREDIT_NOTE: "VC"},
        max_length=40,
        forbidden="<>",
        source="Vetanian Invoice Act, s. 1",
    )
    exemption_codes: Mapping[str, str] = {}
    regime_keys: Mapping[str, str] = {}
    taxes: Mapping[str, str] = {}
    tax_id_kinds: Mapping[str, str] = {}
    document_details: Mapping[str, str] = {}

    def rates(self, on, tax=None):
        return FACTS.rates_in_force(on)

    def check_tax_id(self, value, country):
        trimmed = value.strip()
        if country == "VT" and not trimmed.startswith("VT"):
            return TaxIdCheck(valid=False, normalised=trimmed, reason=said("it begins with VT", "empieza por VT"))
        return TaxIdCheck(valid=True, normalised=trimmed)

    def corrections(self, document):
        return FACTS.reasons_for(document)

    def legends(self, document):
        return []


class _Form(TaxForm):
    """Days and files, which both forms share."""

    def layout(self, period):
        return "1"

    def direct_debit_date(self, period):
        return None

    def due_date(self, period):
        day = period.span.last + timedelta(days=20)
        while day.isoweekday() > 5:
            day += timedelta(days=1)
        return day

    def ledger_span(self, period):
        return period.span

    def render_file(self, content: FileInput) -> FormFile:
        problems = [*self._missing(content)]
        if problems:
            raise IncompleteDeclarationError(problems)
        head = [self.code, str(content.period.year), content.period.code, content.owner.tax_id]
        values = [f"{key}={value}" for key, value in content.boxes.items()]
        rows = [f"{record['client']}:{record['amount']}" for record in content.records]
        lines = [";".join(head), content.declaration_type or "", ";".join(values), ";".join(rows)]
        name = f"{self.code}-{content.period.code}.txt"
        return FormFile(name=name, media_type="text/plain", content="\n".join(lines).encode())

    def _missing(self, content):
        if not content.owner.tax_id:
            yield problem("issuer.taxId", "the tax number is missing", "Set it with PUT /api/teams/current {taxId}.")
        if content.declaration_type in {"U", "D"} and not content.iban:
            yield problem("iban", "the bank account is missing", "Send it with PATCH {iban}.")

    def read_file(self, content: bytes) -> ReadFile:
        try:
            head, letter, values, rows = content.decode().split("\n")
            code, year, period, tax_id = head.split(";")
            boxes = dict(pair.split("=") for pair in values.split(";") if pair)
        except ValueError as error:
            raise UnreadableFileError from error
        if code != self.code:
            raise UnreadableFileError
        return ReadFile(
            period=TaxPeriod(int(year), period),
            tax_id=tax_id,
            boxes={key: Decimal(value) for key, value in boxes.items()},
            records=[dict(zip(NAMES, row.rsplit(":", 1), strict=True)) for row in rows.split(";") if row],
            declaration_type=letter or None,
        )


def problem(field: str, message: str, remedy: str) -> FieldProblem:
    return FieldProblem(field=field, code="missing", text=ProblemText(FixedText(message), FixedText(remedy)))


class QuarterlyForm(_Form):
    """VT1: tax on sales less tax on purchases, less the credit of the quarter before."""

    code = "VT1"
    claimable_later = frozenset({"20"})
    name = said("Quarterly tax", "Impuesto trimestral")
    known: ClassVar = {
        "10": Box(key="10", name=said("Tax on sales", "Cuota de ventas"), summed=True, signed=True),
        "20": Box(key="20", name=said("Tax on purchases", "Cuota de compras"), summed=True, signed=True),
        "25": Box(key="25", name=said("Credit brought forward", "Crédito anterior")),
        "30": Box(key="30", name=said("Result", "Resultado"), signed=True),
    }

    def periods(self, year):
        return QUARTERS if year >= 2020 else ()

    def boxes(self, period):
        return self.known

    def is_due(self, profile, period):
        return not profile.exempt

    def is_claimable(self, purchase, profile, period):
        return True

    def compute(self, form_input: FormInput) -> Computation:
        if form_input.overrides.keys() - self.known.keys():
            raise ValueError(sorted(form_input.overrides.keys() - self.known.keys()))
        evidence: dict[str, list[Evidence]] = {"10": [], "20": []}
        warnings = []
        span = form_input.period.span
        for sale in form_input.ledger.sales:
            if (sale.operation_date or sale.issue_date) not in span:
                continue
            amount = sum((line.amount for line in sale.taxes), Decimal(0))
            if amount:
                evidence["10"].append(Evidence(document_id=sale.document_id, amount=amount))
            else:
                message = said(f"{sale.number} has no tax", f"{sale.number} no lleva impuesto")
                warnings.append(DeclarationWarning(code="no_tax", message=message, document_ids=(sale.document_id,)))
        for purchase in form_input.ledger.purchases:
            amount = sum((line.deductible_tax for line in purchase.taxes), Decimal(0))
            if purchase.deduction_date in span and amount:
                evidence["20"].append(Evidence(document_id=purchase.document_id, amount=amount))
        sums = {key: cents(sum((one.amount for one in parts), Decimal(0))) for key, parts in evidence.items()}
        credit = self._credit(form_input)
        computed = self._with_result({**sums, "25": credit})
        effective = self._with_result({**sums, "25": credit, **form_input.overrides}, form_input.overrides.get("30"))
        kind, types = outcome(effective["30"], form_input.choice.declaration_type)
        return Computation(
            computed=computed,
            effective=effective,
            evidence={key: tuple(sorted(parts, key=lambda one: one.document_id)) for key, parts in evidence.items()},
            output_tax=effective["10"],
            input_tax=effective["20"],
            result=effective["30"],
            result_kind=kind,
            declaration_types=types,
            warnings=tuple(sorted(warnings, key=lambda one: one.document_ids)),
            counted=frozenset(one.document_id for parts in evidence.values() for one in parts),
        )

    @staticmethod
    def _with_result(boxes, result=None):
        return {**boxes, "30": boxes["10"] - boxes["20"] - boxes["25"] if result is None else result}

    @staticmethod
    def _credit(form_input):
        before = form_input.period.before()
        for one in form_input.previous:
            if (one.form, one.period) == ("VT1", before) and one.declaration_type == "C":
                return cents(max(Decimal(0), -one.boxes.get("30", Decimal(0))))
        return Decimal("0.00")


def cents(value):
    return value.quantize(CENT, ROUND_HALF_UP)


def outcome(result, chosen):
    if result > 0:
        return ResultKind.PAY, {"I": said("To pay", "A ingresar"), "U": said("Direct debit", "Domiciliación")}
    if result < 0:
        kind = ResultKind.REFUND if chosen == "D" else ResultKind.COMPENSATE
        return kind, {"C": said("To compensate", "A compensar"), "D": said("Refund", "Devolución")}
    return ResultKind.NONE, {"N": said("Nothing", "Sin resultado")}


class YearlyList(_Form):
    """VT2: the clients of a year, one record each, and how many they are."""

    code = "VT2"
    name = said("Yearly list of clients", "Lista anual de clientes")
    reads = ("VT1",)
    known: ClassVar = {
        "01": Box(key="01", name=said("Clients", "Clientes"), decimals=0),
        "02": Box(key="02", name=said("Sales", "Ventas"), summed=True, signed=True),
        "03": Box(key="03", name=said("Results of the quarters", "Resultados trimestrales"), signed=True),
    }

    record_fields: ClassVar = {
        "client": RecordField(name=said("Client", "Cliente")),
        "amount": RecordField(name=said("Sales", "Ventas"), kind=FieldKind.AMOUNT),
        "count": RecordField(name=said("Documents", "Documentos")),
    }

    def periods(self, year):
        return ("Y",) if year >= 2020 else ()

    def boxes(self, period):
        return self.known

    def is_due(self, profile, period):
        return profile.files_lists and not profile.exempt

    def compute(self, form_input: FormInput) -> Computation:
        if form_input.overrides.keys() - self.known.keys():
            raise ValueError(sorted(form_input.overrides.keys() - self.known.keys()))
        sales = [sale for sale in form_input.ledger.sales if sale.issue_date in form_input.period.span and sale.client]
        by_client: dict[str, list[Evidence]] = defaultdict(list)
        for sale in sorted(sales, key=lambda one: one.document_id):
            by_client[sale.client.name].append(Evidence(document_id=sale.document_id, amount=sale.gross_total))
        parts = tuple(sorted((one for some in by_client.values() for one in some), key=lambda one: one.document_id))
        quarters = [
            one for one in form_input.previous if one.form == "VT1" and one.period.year == form_input.period.year
        ]
        computed = {
            "01": Decimal(len(by_client)),
            "02": cents(sum((one.amount for one in parts), Decimal(0))),
            "03": cents(sum((one.boxes["30"] for one in quarters), Decimal(0))),
        }
        return Computation(
            computed=computed,
            effective={**computed, **form_input.overrides},
            evidence={"02": parts},
            output_tax=Decimal("0.00"),
            input_tax=Decimal("0.00"),
            result=Decimal("0.00"),
            result_kind=ResultKind.NONE,
            declaration_types={},
            warnings=(),
            counted=frozenset(one.document_id for one in parts),
            records=tuple(
                DeclaredRecord(
                    fields={"client": name, "amount": str(sum(one.amount for one in some)), "count": len(some)},
                    document_ids=tuple(one.document_id for one in some),
                )
                for name, some in sorted(by_client.items())
            ),
        )


country = CountryProvider(
    code="VT",
    name="Vetania",
    currency="EUR",
    time_zone="Europe/Madrid",
    languages=("en",),
    api_version=1,
    tax=VetanianTax(),
    tax_facts=FACTS,
    example_clients=(Party(name="Mill of Veta", tax_id="VT8", country="VT", city="Veta"),),
    declarations=(QuarterlyForm(), YearlyList()),
    tax_profile=Profile,
)
