"""Messages of a taxpayer's software: heading and records as literals, in the order sent.

Texts are kept exactly as they stand in the XML, trimmed at both ends of characters up to U+0020, because the
fingerprint is computed over them. None means that the element is absent.
Source: AEAT, SuministroLR.xsd and SuministroInformacion.xsd, version 1.0.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class OtherId:
    """IDOtro: an identification that is not a NIF."""

    country: str | None
    kind: str
    number: str


@dataclass(frozen=True, kw_only=True)
class Person:
    """A natural or legal person; exactly one of `nif` and `other` is right, which is checked as a rule."""

    name: str
    nif: str | None
    other: OtherId | None


@dataclass(frozen=True, kw_only=True)
class Header:
    """Cabecera. `incident` is S when the software could not send in time."""

    issuer: Person
    representative: Person | None
    voluntary: bool
    last_day: str | None
    incident: str | None


@dataclass(frozen=True, kw_only=True)
class Line:
    """DetalleDesglose: one combination of tax, regime, qualification or exemption, rate and surcharge."""

    tax: str
    regime: str | None
    qualification: str | None
    exemption: str | None
    rate: str | None
    base: str
    base_at_cost: str | None
    amount: str | None
    surcharge_rate: str | None
    surcharge_amount: str | None


@dataclass(frozen=True, kw_only=True)
class Link:
    """RegistroAnterior: the record that this one follows."""

    issuer: str
    number: str
    issue_date: str
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class System:
    """SistemaInformatico: whose software, which, and which installation of it."""

    producer: Person
    name: str
    id: str
    version: str
    installation: str
    only_verifactu: str
    several_possible: str
    several: str


@dataclass(frozen=True, kw_only=True)
class Record:
    """Fields of both kinds of record. `first` is the literal of PrimerRegistro."""

    version: str
    issuer: str
    number: str
    issue_date: str
    reference: str | None
    previous_rejection: str | None
    first: str | None
    link: Link | None
    system: System
    generated_at: str
    fingerprint_type: str
    fingerprint: str

    @property
    def invoice(self) -> tuple[str, str, str]:
        """Identity of the invoice at the authority: issuer, number, issue date."""
        return self.issuer, self.number, self.issue_date

    @property
    def chain(self) -> tuple[str, str, str, str]:
        """Identity of the chain: issuer, producer, system and installation; the version is no part of it."""
        producer = self.system.producer
        producer_id = producer.nif or (producer.other.number if producer.other else "")
        return self.issuer, producer_id, self.system.id, self.system.installation


@dataclass(frozen=True, kw_only=True)
class Issue(Record):
    """RegistroAlta: an invoice was issued, or its record is put right (`amendment` S)."""

    issuer_name: str
    amendment: str | None
    type: str
    correction: str | None
    corrected: tuple[Link, ...]
    replaced: tuple[Link, ...]
    has_corrected_amounts: bool
    operation_date: str | None
    description: str
    simplified_with_recipient: str | None
    without_recipient: str | None
    large: str | None
    issued_by: str | None
    third_party: Person | None
    recipients: tuple[Person, ...]
    coupon: str | None
    lines: tuple[Line, ...]
    tax_total: str
    total: str
    agreement: str | None


@dataclass(frozen=True, kw_only=True)
class Annulment(Record):
    """RegistroAnulacion: the invoice should never have existed."""

    without_previous: str | None
    generated_by: str | None
    generator: Person | None


@dataclass(frozen=True, kw_only=True)
class Submission:
    """One RegFactuSistemaFacturacion: a header and 1 to 1000 records."""

    header: Header
    records: tuple[Issue | Annulment, ...]


class SubmissionError(Exception):
    """The message as a whole is refused with a SOAP fault; nothing of it is stored."""

    def __init__(self, code: int, detail: str = "") -> None:
        super().__init__(f"{code} {detail}".strip())
        self.code = code
        self.detail = detail
