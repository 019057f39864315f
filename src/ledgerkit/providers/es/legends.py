"""Legends that the law wants printed on a Spanish invoice.

Source: RD 1619/2012, arts. 6.1 and 15, and Ley 37/1992 (LIVA), consolidated texts.
"""

from collections.abc import Iterator, Sequence

from ledgerkit.providers.api import (
    Correction,
    Document,
    DocumentKind,
    DocumentRef,
    IssuedBy,
    Legend,
    TaxCategory,
    TaxLine,
)
from ledgerkit.providers.es import not_subject
from ledgerkit.providers.es.messages import LegendMsg
from ledgerkit.texts import Day, Joined, Text, text


def _legend(message: LegendMsg, source: str, **values: object) -> Legend:
    return Legend(text=text(message, **values), source=source)


_EXEMPTIONS = {
    "E1": _legend(LegendMsg.EXEMPT_E1, "RD 1619/2012, art. 6.1.j; Ley 37/1992, art. 20"),
    "E2": _legend(LegendMsg.EXEMPT_E2, "RD 1619/2012, art. 6.1.j; Ley 37/1992, art. 21"),
    "E3": _legend(LegendMsg.EXEMPT_E3, "RD 1619/2012, art. 6.1.j; Ley 37/1992, art. 22"),
    "E4": _legend(LegendMsg.EXEMPT_E4, "RD 1619/2012, art. 6.1.j; Ley 37/1992, arts. 23 y 24"),
    "E5": _legend(LegendMsg.EXEMPT_E5, "RD 1619/2012, art. 6.1.j; Ley 37/1992, art. 25"),
    "E6": _legend(LegendMsg.EXEMPT_E6, "RD 1619/2012, art. 6.1.j"),
}

_REVERSE_CHARGE = _legend(LegendMsg.REVERSE_CHARGE, "RD 1619/2012, art. 6.1.m; Ley 37/1992, art. 84.Uno.2.º")
_INTRA_EU_SERVICES = _legend(
    LegendMsg.INTRA_EU_SERVICES, "RD 1619/2012, art. 6.1.m; Directive 2006/112/EC, arts. 44 and 196"
)
_TRIANGULAR = _legend(
    LegendMsg.TRIANGULAR, "RD 1619/2012, art. 6.1.m; Directive 2006/112/EC, arts. 42, 141, 197 and 226(11a)"
)
_NOT_SUBJECT = _legend(LegendMsg.NOT_SUBJECT, "Ley 37/1992, arts. 7 and 14")
_NOT_SUBJECT_BY = {
    not_subject.ARTICLE_7: _legend(LegendMsg.NOT_SUBJECT_ARTICLE_7, "Ley 37/1992, art. 7"),
    not_subject.ARTICLE_14: _legend(LegendMsg.NOT_SUBJECT_ARTICLE_14, "Ley 37/1992, art. 14"),
    not_subject.LOCATION_RULES: _legend(LegendMsg.NOT_SUBJECT_BY_PLACE, "Ley 37/1992, arts. 68 to 70"),
}

_MARGIN_GOODS = {"used_goods": LegendMsg.USED_GOODS, "art": LegendMsg.ART, "antiques": LegendMsg.ANTIQUES}
"""Legends of a margin scheme, one of which has to be named."""

_REGIMES = {
    "05": _legend(LegendMsg.TRAVEL, "RD 1619/2012, art. 6.1.n"),
    "07": _legend(LegendMsg.CASH_ACCOUNTING, "RD 1619/2012, art. 6.1.p"),
}

_OTHER_TAXES = {
    "IGIC": (LegendMsg.EXEMPT_FROM_IGIC, LegendMsg.NOT_SUBJECT_TO_IGIC, LegendMsg.OUTSIDE_IGIC),
    "IPSI": (LegendMsg.EXEMPT_FROM_IPSI, LegendMsg.NOT_SUBJECT_TO_IPSI, LegendMsg.OUTSIDE_IPSI),
}
_OTHER_TAX = LegendMsg.EXEMPT_FROM_OTHER, LegendMsg.NOT_SUBJECT_TO_OTHER, LegendMsg.OUTSIDE_OTHER
"""Legends of an exempt line, of one that is not subject, and of one that is not subject by the rules of place."""

_CAUSES = {
    "R1": LegendMsg.CAUSE_R1,
    "R2": LegendMsg.CAUSE_R2,
    "R3": LegendMsg.CAUSE_R3,
    "R4": LegendMsg.CAUSE_R4,
    "R5": LegendMsg.CAUSE_R5,
}
_BY_RECIPIENT = _legend(LegendMsg.BY_RECIPIENT, "RD 1619/2012, art. 6.1.l")
_CORRECTING = "RD 1619/2012, art. 15"


def legends(document: Document) -> list[Legend]:
    """List the legends of this document, each once, in the order of its tax lines."""
    applicable = [legend for line in document.taxes for legend in _of_line(line, document)]
    if document.kind is DocumentKind.CREDIT_NOTE and document.correction is not None:
        applicable.insert(0, _correcting(document.correction))
    applicable = [*_of_issuing(document), *applicable]
    return list({(legend.source, str(legend.text)): legend for legend in applicable}.values())


def _of_issuing(document: Document) -> Iterator[Legend]:
    """List the legends about the document's author, if that is not the issuer, and about exchanged documents."""
    third = document.third_party
    if document.issued_by is IssuedBy.RECIPIENT:
        yield _BY_RECIPIENT
    elif document.issued_by is IssuedBy.THIRD_PARTY and third is not None:
        who = f"{third.name}, {third.tax_id}" if third.tax_id else third.name
        yield _legend(LegendMsg.BY_THIRD_PARTY, "RD 1619/2012, art. 5.1", who=who)
    if document.substitutes:
        source = "RD 1619/2012, art. 7; AEAT, record design, TipoFactura F3"
        yield _legend(LegendMsg.EXCHANGED, source, listed=_listed(document.substitutes))


def _listed(documents: Sequence[DocumentRef]) -> Text:
    """Numbers and dates."""
    return Joined([text(LegendMsg.CORRECTED, number=ref.number, day=Day(ref.issue_date)) for ref in documents])


def _of_line(line: TaxLine, document: Document) -> Iterator[Legend]:
    yield from _of_vat(line, document) if line.tax is None else _of_another_tax(line, document)
    if line.regime_key == "03":
        goods = _MARGIN_GOODS.get(str(document.details.get("marginGoods")), LegendMsg.USED_GOODS)
        yield _legend(goods, "RD 1619/2012, art. 6.1.o")
    elif line.regime_key in _REGIMES:
        yield _REGIMES[line.regime_key]


def _of_vat(line: TaxLine, document: Document) -> Iterator[Legend]:
    match line.category:
        case TaxCategory.EXEMPT:
            yield _EXEMPTIONS.get(line.exemption_code or "E1", _EXEMPTIONS["E6"])
        case TaxCategory.EXPORT:
            yield _EXEMPTIONS.get(line.exemption_code or "E2", _EXEMPTIONS["E2"])
        case TaxCategory.INTRA_EU_GOODS:
            yield _TRIANGULAR if document.triangular else _EXEMPTIONS["E5"]
        case TaxCategory.INTRA_EU_SERVICES:
            yield _INTRA_EU_SERVICES
        case TaxCategory.REVERSE_CHARGE:
            yield _REVERSE_CHARGE
        case TaxCategory.NOT_SUBJECT:
            reason = not_subject.reason(line, document.place_of_supply)
            yield _NOT_SUBJECT_BY.get(reason or "", _NOT_SUBJECT)


def _of_another_tax(line: TaxLine, document: Document) -> Iterator[Legend]:
    """Legend of a tax other than the IVA: IGIC, IPSI and others have laws of their own, so no article is named.

    What is declared as N2 names the rules of place, what is declared as N1 does not.
    """
    exempt, not_subject_to, outside = _OTHER_TAXES.get(line.tax or "", _OTHER_TAX)
    match line.category:
        case TaxCategory.STANDARD:
            return
        case TaxCategory.REVERSE_CHARGE:
            yield _legend(LegendMsg.REVERSE_CHARGE_OF_OTHER_TAX, "RD 1619/2012, art. 6.1.m")
        case TaxCategory.EXEMPT | TaxCategory.EXPORT | TaxCategory.INTRA_EU_GOODS:
            yield _legend(exempt, "RD 1619/2012, art. 6.1.j")
        case TaxCategory.NOT_SUBJECT if (
            not_subject.reason(line, document.place_of_supply) != not_subject.LOCATION_RULES
        ):
            yield _legend(not_subject_to, "RD 1619/2012, art. 6")
        case TaxCategory.NOT_SUBJECT | TaxCategory.INTRA_EU_SERVICES:
            yield _legend(outside, "RD 1619/2012, art. 6")


def _correcting(correction: Correction) -> Legend:
    """Name the corrected documents and the cause, as art. 15.4 asks."""
    cause = _CAUSES.get(correction.reason or "R1", LegendMsg.CAUSE_R4)
    how = LegendMsg.BY_SUBSTITUTION if correction.method == "substitution" else LegendMsg.BY_DIFFERENCE
    return _legend(how, _CORRECTING, listed=_listed(correction.documents) if correction.documents else "-", cause=cause)
