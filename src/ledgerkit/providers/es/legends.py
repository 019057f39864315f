"""Legends that the law wants printed on a Spanish invoice, in Spanish and English.

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


def _legend(spanish: str, english: str, source: str) -> Legend:
    return Legend(text={"es": spanish, "en": english}, source=source)


def _exempt(articles: str, english: str) -> Legend:
    return _legend(
        f"Operación exenta de IVA ({articles} de la Ley 37/1992)",
        f"VAT exempt ({english} of Spanish Law 37/1992)",
        f"RD 1619/2012, art. 6.1.j; Ley 37/1992, {articles}",
    )


_EXEMPTIONS = {
    "E1": _exempt("art. 20", "article 20"),
    "E2": _exempt("art. 21", "article 21, export"),
    "E3": _exempt("art. 22", "article 22, operations treated as exports"),
    "E4": _exempt("arts. 23 y 24", "articles 23 and 24, customs and fiscal regimes"),
    "E5": _exempt("art. 25", "article 25, intra-Community supply of goods"),
    "E6": _legend("Operación exenta de IVA", "VAT exempt", "RD 1619/2012, art. 6.1.j"),
}

_REVERSE_CHARGE = _legend(
    "Inversión del sujeto pasivo (art. 84.Uno.2.º de la Ley 37/1992)",
    "Reverse charge (article 84.One.2 of Spanish Law 37/1992)",
    "RD 1619/2012, art. 6.1.m; Ley 37/1992, art. 84.Uno.2.º",
)
_INTRA_EU_SERVICES = _legend(
    "Inversión del sujeto pasivo: servicio no sujeto al IVA español "
    "(art. 69.Uno.1.º de la Ley 37/1992; art. 196 de la Directiva 2006/112/CE)",
    "Reverse charge: service outside the scope of Spanish VAT "
    "(article 69.One.1 of Law 37/1992; article 196 of Directive 2006/112/EC)",
    "RD 1619/2012, art. 6.1.m; Directive 2006/112/EC, arts. 44 and 196",
)
_TRIANGULAR = _legend(
    "Inversión del sujeto pasivo: operación triangular no sujeta al IVA español "
    "(art. 68 de la Ley 37/1992; arts. 141 y 197 de la Directiva 2006/112/CE)",
    "Reverse charge: triangular operation outside the scope of Spanish VAT "
    "(article 68 of Law 37/1992; articles 141 and 197 of Directive 2006/112/EC)",
    "RD 1619/2012, art. 6.1.m; Directive 2006/112/EC, arts. 42, 141, 197 and 226(11a)",
)
_NOT_SUBJECT = _legend("Operación no sujeta a IVA", "Not subject to VAT", "Ley 37/1992, arts. 7 and 14")
_NOT_SUBJECT_BY = {
    not_subject.ARTICLE_7: _legend(
        "Operación no sujeta a IVA (art. 7 de la Ley 37/1992)",
        "Not subject to VAT (article 7 of Spanish Law 37/1992)",
        "Ley 37/1992, art. 7",
    ),
    not_subject.ARTICLE_14: _legend(
        "Operación no sujeta a IVA (art. 14 de la Ley 37/1992)",
        "Not subject to VAT (article 14 of Spanish Law 37/1992)",
        "Ley 37/1992, art. 14",
    ),
    not_subject.LOCATION_RULES: _legend(
        "Operación no sujeta al IVA español por reglas de localización (arts. 68 a 70 de la Ley 37/1992)",
        "Outside the scope of Spanish VAT by the place of supply (articles 68 to 70 of Law 37/1992)",
        "Ley 37/1992, arts. 68 to 70",
    ),
}

_MARGIN_GOODS = {
    "used_goods": ("Régimen especial de los bienes usados", "Margin scheme: second-hand goods"),
    "art": ("Régimen especial de los objetos de arte", "Margin scheme: works of art"),
    "antiques": (
        "Régimen especial de las antigüedades y objetos de colección",
        "Margin scheme: collectors' items and antiques",
    ),
}
"""Legends of a margin scheme, one of which has to be named."""

_REGIMES = {
    "05": _legend(
        "Régimen especial de las agencias de viajes", "Margin scheme: travel agents", "RD 1619/2012, art. 6.1.n"
    ),
    "07": _legend("Régimen especial del criterio de caja", "Cash accounting scheme", "RD 1619/2012, art. 6.1.p"),
}

_OTHER_TAXES = {
    "IGIC": ("de IGIC", "a IGIC", "IGIC (Canary Islands)"),
    "IPSI": ("de IPSI", "a IPSI", "IPSI (Ceuta and Melilla)"),
    "OTHER": ("del impuesto", "al impuesto", "the tax"),
}

_REASONS = {
    "R1": ("error fundado en derecho o art. 80.Uno, Dos y Seis de la Ley 37/1992", "legal error, return or discount"),
    "R2": ("concurso de acreedores, art. 80.Tres de la Ley 37/1992", "insolvency of the customer"),
    "R3": ("crédito incobrable, art. 80.Cuatro de la Ley 37/1992", "bad debt"),
    "R4": ("otras causas", "other causes"),
    "R5": ("rectificación de factura simplificada", "correction of a simplified invoice"),
}
_BY_RECIPIENT = _legend("Facturación por el destinatario", "Self-billing", "RD 1619/2012, art. 6.1.l")
_CORRECTING = "RD 1619/2012, art. 15"


def legends(document: Document) -> list[Legend]:
    """List the legends of this document, each once, in the order of its tax lines."""
    applicable = [legend for line in document.taxes for legend in _of_line(line, document)]
    if document.kind is DocumentKind.CREDIT_NOTE and document.correction is not None:
        applicable.insert(0, _correcting(document.correction))
    applicable = [*_of_issuing(document), *applicable]
    return list({legend.source + legend.text["es"]: legend for legend in applicable}.values())


def _of_issuing(document: Document) -> Iterator[Legend]:
    """List the legends about the document's author, if that is not the issuer, and about exchanged documents."""
    third = document.third_party
    if document.issued_by is IssuedBy.RECIPIENT:
        yield _BY_RECIPIENT
    elif document.issued_by is IssuedBy.THIRD_PARTY and third is not None:
        who = f"{third.name}, {third.tax_id}" if third.tax_id else third.name
        yield _legend(
            f"Factura expedida por un tercero en nombre del emisor: {who}",
            f"Made out by a third party in the issuer's name: {who}",
            "RD 1619/2012, art. 5.1",
        )
    if document.substitutes:
        spanish, english = _listed(document.substitutes)
        yield _legend(
            f"Factura expedida en sustitución de las facturas simplificadas: {spanish}",
            f"Issued in exchange for the simplified invoices: {english}",
            "RD 1619/2012, art. 7; AEAT, record design, TipoFactura F3",
        )


def _listed(documents: Sequence[DocumentRef]) -> tuple[str, str]:
    """Numbers and dates, in Spanish and in English."""
    spanish = ", ".join(f"{ref.number} ({ref.issue_date:%d/%m/%Y})" for ref in documents)
    return spanish, ", ".join(f"{ref.number} ({ref.issue_date:%Y-%m-%d})" for ref in documents)


def _of_line(line: TaxLine, document: Document) -> Iterator[Legend]:
    yield from _of_vat(line, document) if line.tax is None else _of_another_tax(line, document)
    if line.regime_key == "03":
        spanish, english = _MARGIN_GOODS.get(str(document.details.get("marginGoods")), _MARGIN_GOODS["used_goods"])
        yield _legend(spanish, english, "RD 1619/2012, art. 6.1.o")
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
    exempt, subject, english = _OTHER_TAXES.get(line.tax or "", _OTHER_TAXES["OTHER"])
    match line.category:
        case TaxCategory.STANDARD:
            return
        case TaxCategory.REVERSE_CHARGE:
            yield _legend("Inversión del sujeto pasivo", "Reverse charge", "RD 1619/2012, art. 6.1.m")
        case TaxCategory.EXEMPT | TaxCategory.EXPORT | TaxCategory.INTRA_EU_GOODS:
            yield _legend(f"Operación exenta {exempt}", f"Exempt from {english}", "RD 1619/2012, art. 6.1.j")
        case TaxCategory.NOT_SUBJECT if (
            not_subject.reason(line, document.place_of_supply) != not_subject.LOCATION_RULES
        ):
            yield _legend(f"Operación no sujeta {subject}", f"Not subject to {english}", "RD 1619/2012, art. 6")
        case TaxCategory.NOT_SUBJECT | TaxCategory.INTRA_EU_SERVICES:
            yield _legend(
                f"Operación no sujeta {subject} por reglas de localización",
                f"Outside the scope of {english} by the place of supply",
                "RD 1619/2012, art. 6",
            )


def _correcting(correction: Correction) -> Legend:
    """Name the corrected documents and the cause, as art. 15.4 asks."""
    cause, cause_english = _REASONS.get(correction.reason or "R1", _REASONS["R4"])
    listed, listed_english = _listed(correction.documents)
    how, how_english = ("por diferencias", "by the difference")
    if correction.method == "substitution":
        how, how_english = ("por sustitución", "by substitution")
    return _legend(
        f"Factura rectificativa {how} de: {listed or '-'}. Causa: {cause}",
        f"Corrective invoice ({how_english}) of: {listed_english or '-'}. Cause: {cause_english}",
        _CORRECTING,
    )
