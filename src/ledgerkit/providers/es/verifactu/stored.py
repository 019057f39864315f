"""Records read back from their bytes: the literals that were hashed, and the statements about their place."""

from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from ledgerkit.providers.es.verifactu import chain
from ledgerkit.providers.es.verifactu.xml import INFORMATION

_NS = f"{{{INFORMATION}}}"
_SIGNATURE = "{http://www.w3.org/2000/09/xmldsig#}Signature"
_KINDS = {f"{_NS}RegistroAlta": "issue", f"{_NS}RegistroAnulacion": "annul"}
_ANNULLED = {"issue": "", "annul": "Anulada"}


class UnreadableError(ValueError):
    """Bytes that are no record, with the reason."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """RegistroAnterior, as literals."""

    issuer: str
    number: str
    issue_date: str
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class Stored:
    """Literals of a record. `previous` is None where it states that it is the first."""

    kind: str
    issuer: str
    number: str
    issue_date: str
    generated_at: str
    fingerprint: str
    recomputed: str
    installation: str
    tax_total: str
    gross_total: str
    version: str
    fingerprint_kind: str
    previous: Link | None


def read(content: bytes) -> Stored:
    """Read a record. Raises UnreadableError unless it is a RegistroAlta or RegistroAnulacion, complete."""
    root = _parsed(content)
    kind = _KINDS.get(str(root.tag))
    if kind is None:
        msg = f"the root is {root.tag!s}"
        raise UnreadableError(msg)
    top = _children(root)
    identity = _children(_needed(top, "IDFactura"))
    link = _children(_needed(top, "Encadenamiento"))
    end = _ANNULLED[kind]
    issuer, number, issue_date = (
        _text(identity, f"{name}{end}") for name in ("IDEmisorFactura", "NumSerieFactura", "FechaExpedicionFactura")
    )
    previous, generated_at = _previous(link), _text(top, "FechaHoraHusoGenRegistro")
    tax_total, gross_total = ("", "") if end else (_text(top, "CuotaTotal"), _text(top, "ImporteTotal"))
    hashed = {"issuer": issuer, "number": number, "issue_date": issue_date, "generated_at": generated_at}
    hashed["previous"] = previous.fingerprint if previous else ""
    if end:
        recomputed = chain.of_annulment(**hashed)
    else:
        totals = {"kind": _text(top, "TipoFactura"), "tax_total": tax_total, "gross_total": gross_total}
        recomputed = chain.of_issue(**hashed, **totals)
    return Stored(
        kind=kind,
        issuer=issuer,
        number=number,
        issue_date=issue_date,
        generated_at=generated_at,
        fingerprint=_text(top, "Huella"),
        recomputed=recomputed,
        installation=_text(_children(_needed(top, "SistemaInformatico")), "NumeroInstalacion"),
        tax_total=tax_total,
        gross_total=gross_total,
        version=_text(top, "IDVersion"),
        fingerprint_kind=_text(top, "TipoHuella"),
        previous=previous,
    )


_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=False)


def _parsed(content: bytes) -> etree._Element:
    """Parse without entities, network or a document type, which no record has."""
    try:
        root = etree.fromstring(content, _PARSER)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableError(str(error)) from None
    if root.getroottree().docinfo.doctype:
        msg = "it has a document type"
        raise UnreadableError(msg)
    return root


def _children(parent: etree._Element) -> Mapping[str, etree._Element]:
    """Children by their names; each may be there once, and only in the namespace of records (or as the signature)."""
    named, count = {}, 0
    for child in parent:
        name = child.tag
        if isinstance(name, str) and name != _SIGNATURE:
            named[name.removeprefix(_NS)] = child
            count += 1
    if len(named) < count:
        msg = f"an element is there twice among {', '.join(named)}"
        raise UnreadableError(msg)
    return named


def _needed(among: Mapping[str, etree._Element], name: str) -> etree._Element:
    if name not in among:
        msg = f"{name} is missing"
        raise UnreadableError(msg)
    return among[name]


def _text(among: Mapping[str, etree._Element], name: str) -> str:
    return (_needed(among, name).text or "").strip(chain.BLANK)


def _previous(link: Mapping[str, etree._Element]) -> Link | None:
    """Return the link, None for a first record. Raises UnreadableError unless exactly one of the two is stated."""
    if set(link) == {"PrimerRegistro"}:
        if _text(link, "PrimerRegistro") != "S":
            msg = "PrimerRegistro is not S"
            raise UnreadableError(msg)
        return None
    if set(link) != {"RegistroAnterior"}:
        msg = "Encadenamiento names neither the first record nor the one before"
        raise UnreadableError(msg)
    elements = _children(link["RegistroAnterior"])
    return Link(
        issuer=_text(elements, "IDEmisorFactura"),
        number=_text(elements, "NumSerieFactura"),
        issue_date=_text(elements, "FechaExpedicionFactura"),
        fingerprint=_text(elements, "Huella"),
    )
