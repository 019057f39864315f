"""Subject of the rules: a document, and its representation for the authority."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property

from ledgerkit.providers.api import Document, Party, TaxCategory, TaxLine
from ledgerkit.providers.es import rates, tax_ids
from ledgerkit.providers.es.operations import GENERAL, IGIC, VAT
from ledgerkit.providers.es.tax import EXEMPTIONS, REGIMES
from ledgerkit.providers.es.verifactu import breakdown, parties, record
from ledgerkit.providers.es.verifactu.breakdown import Detail
from ledgerkit.providers.es.verifactu.parties import Identity
from ledgerkit.providers.es.verifactu.xml import clean


@dataclass(frozen=True, kw_only=True)
class Line:
    """A tax line, as given and as one entry of the breakdown."""

    tax_line: TaxLine
    detail: Detail


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A document before it has a number (its `number` may be a placeholder), on the day it would be issued."""

    document: Document
    today: date

    @cached_property
    def kind(self) -> str:
        """TipoFactura."""
        return record.invoice_type(self.document)

    @property
    def corrects(self) -> bool:
        return self.kind in record.CORRECTIVE

    @property
    def addressed(self) -> bool:
        """Return True when its record names the client: F1, F3 and R1 to R4 do."""
        return self.kind not in record.WITHOUT_RECIPIENT

    @property
    def client(self) -> Party | None:
        """The client, where the record names it."""
        return self.document.recipient if self.addressed else None

    @cached_property
    def client_id(self) -> Identity | None:
        return _identity(self.client)

    @property
    def nif(self) -> str:
        """The client's NIF, empty when there is none or the client is identified otherwise."""
        identity = self.client_id
        return identity.number if identity is not None and identity.id_type is None else ""

    @cached_property
    def third_id(self) -> Identity | None:
        return _identity(self.document.third_party)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        lines, document = self.document.taxes, self.document
        return tuple(Line(tax_line=line, detail=breakdown.of_line(line, document)) for line in lines)

    @cached_property
    def entries(self) -> list[Detail]:
        return breakdown.details(self.document)

    @cached_property
    def is_plain(self) -> bool:
        """Return True when all lines bear VAT of the general regime without further statements."""
        return all(_is_plain(line) for line in self.document.taxes)

    @property
    def day(self) -> date:
        """The day whose rates apply: of the operation, else of issue."""
        return self.document.operation_date or self.document.issue_date

    @property
    def tax_is_pending(self) -> bool:
        """Return True when the tax falls due later for all lines, so that the operation may follow its invoice."""
        waits = [entry.regime in {"14", "15"} and entry.code in {VAT, IGIC} for entry in self.entries]
        return bool(waits) and all(waits)

    @property
    def amounts_are_free(self) -> bool:
        """Return True when the authority leaves base times rate unchecked: by differences, and R2 and R3."""
        correction = self.document.correction
        by_substitution = correction is not None and correction.method == "substitution"
        return self.corrects and (not by_substitution or self.kind in {"R2", "R3"})

    @property
    def rates(self) -> tuple[Decimal, ...]:
        """The rates of the VAT on its day, the general one first."""
        return tuple(dict.fromkeys(rate.percent for rate in rates.in_force(self.day)))

    @staticmethod
    def regimes(line: TaxLine) -> Mapping[str, str]:
        return REGIMES.get(line.tax, {})

    @staticmethod
    def exemptions(line: TaxLine) -> Mapping[str, str]:
        return EXEMPTIONS.get(line.tax, {})


def _is_plain(line: TaxLine) -> bool:
    taxed = line.category is TaxCategory.STANDARD and line.tax is None and line.regime_key in {None, GENERAL}
    surcharged, at_cost = line.surcharge_rate or line.surcharge_amount, line.cost_base is not None
    return taxed and line.exemption_code is None and not surcharged and not at_cost


def named(party: Party | None) -> bool:
    return party is not None and bool(clean(party.name, parties.NAME_LENGTH))


def typed_tax_id(party: Party | None) -> str:
    """The identifier as it was typed, trimmed; empty without one."""
    return (party.tax_id or "").strip() if party is not None else ""


def is_nif(value: str) -> bool:
    return tax_ids.spanish(value) is not None


def _identity(party: Party | None) -> Identity | None:
    return parties.identity(party) if party is not None else None
