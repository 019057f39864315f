"""Dates from which the law obliges each kind of taxpayer; the operator may correct them.

README.md, docs/einvoice.md and docs/es/verifactu.md state them, and a test compares.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from ledgerkit.providers.api import Announcement, FormerDate, Obligation, Party
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.verifactu.setup import LegalDates

READ_ON = date(2026, 11, 21)
"""The day on which all of this was read; later changes are not known here."""

_DECREE = "Real Decreto 1007/2023, de 5 de diciembre, en su redacción original"
_FIRST_DELAY = "Real Decreto 254/2025"
_NOW = "Real Decreto-ley 15/2025, de 2 de diciembre (BOE de 3 de diciembre de 2025), disposición final primera"
_CONFIGURED = "fecha que ha puesto quien opera esta instalación"
_ANNOUNCED_BY_OPERATOR = "aviso que ha puesto quien opera esta instalación"
ANNOUNCED = Announcement(
    text="Una nota del Ministerio de Hacienda de 5 de octubre de 2026 anuncia que pasará a octubre de 2028; "
    "todavía no es ley.",
    source="Nota del Ministerio de Hacienda de 5 de octubre de 2026",
    since="2028-10",
    announced_on=date(2026, 10, 5),
)

PRODUCERS = Obligation(
    who="Quienes producen o comercializan sistemas informáticos de facturación",
    since=date(2025, 7, 29),
    source="Real Decreto 1007/2023 y Orden HAC/1177/2024 (nueve meses desde su entrada en vigor, el 29-10-2024)",
)
COMPANIES = Obligation(
    who="Contribuyentes del Impuesto sobre Sociedades",
    since=date(2027, 1, 1),
    source=_NOW,
    former=(
        FormerDate(since=date(2025, 7, 1), source=_DECREE),
        FormerDate(since=date(2026, 1, 1), source=_FIRST_DELAY),
    ),
    announced=ANNOUNCED,
)
OTHERS = Obligation(
    who="Demás obligados: IRPF con actividad económica, IRNR con establecimiento permanente, entidades en "
    "atribución de rentas",
    since=date(2027, 7, 1),
    source=_NOW,
    former=(
        FormerDate(since=date(2025, 7, 1), source=_DECREE),
        FormerDate(since=date(2026, 7, 1), source=_FIRST_DELAY),
    ),
    announced=ANNOUNCED,
)


_LIABLE_TO_CORPORATION_TAX = frozenset("ABCDFGJQRUV")
"""First letters of the NIF of contributors to the Impuesto sobre Sociedades.

J (sociedad civil) is one where its object is mercantile, and Q (organismo público) where it is not wholly exempt. The
NIF does not show it; both are counted among them, because an issuer that is obliged later may always begin earlier.
Source: Ley 27/2014 art. 7; Orden EHA/451/2008 (letters).
"""

_EXEMPT = frozenset("PS")
"""First letters of local corporations and of the State's and the regions' organs, which the decree leaves out.

Source: RD 1007/2023 art. 3.1.a; Ley 27/2014 art. 9.1.
"""


def obligations(dates: LegalDates) -> Sequence[Obligation]:
    """Return the three obligations; the operator's day replaces the law's, which becomes a former one.

    What this version knows to be announced holds until the operator knows a later day, or another announcement.
    """
    return (PRODUCERS, *_of_issuers(dates))


def obligation_of(issuer: Party, dates: LegalDates) -> Obligation | None:
    """Return the obligation of an issuer by the kind of its NIF; None without a NIF, and where it is not obliged."""
    nif = tax_ids.spanish(issuer.tax_id) if issuer.tax_id else None
    if nif is None or nif[0] in _EXEMPT:
        return None
    companies, others = _of_issuers(dates)
    return companies if nif[0] in _LIABLE_TO_CORPORATION_TAX else others


def _of_issuers(dates: LegalDates) -> tuple[Obligation, Obligation]:
    companies, others = _as_configured(COMPANIES, dates.companies), _as_configured(OTHERS, dates.others)
    return _announced(companies, dates), _announced(others, dates)


def _announced(obligation: Obligation, dates: LegalDates) -> Obligation:
    if dates.announced is None:
        return obligation
    return replace(obligation, announced=Announcement(text=dates.announced, source=_ANNOUNCED_BY_OPERATOR))


def _as_configured(obligation: Obligation, day: date | None) -> Obligation:
    if day is None or day == obligation.since:
        return obligation
    former = (*obligation.former, FormerDate(since=obligation.since, source=obligation.source))
    return replace(obligation, since=day, source=_CONFIGURED, former=former, announced=None)
