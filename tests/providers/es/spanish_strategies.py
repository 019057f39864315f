"""Any document that Spain's rules allow: every kind, every tax, every way to identify, and what becomes of it."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from hypothesis import strategies as st
from spanish_documents import ISSUER, TODAY, cents, invoice

from ledgerkit.providers.api import (
    Annulment,
    Correction,
    DocumentKind,
    DocumentRef,
    IssuedBy,
    Party,
    TaxCategory,
    TaxLine,
)
from ledgerkit.providers.es.not_subject import REASONS
from ledgerkit.providers.es.tax import MARGIN_REGIMES

NOBODY = frozenset({"F2", "R5"})
FIRST_DAY = date(2025, 1, 2)
"""Late enough for one set of rates of the IVA."""

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).map("x{}".format)
NAMES = st.text(st.sampled_from("aZñ &<>\"'É·/;😀\t\x00"), max_size=130).map("N{}".format)
AMOUNTS = st.integers(-10_000_000, 10_000_000).map(lambda value: Decimal(value).scaleb(-2))
NUMBERS = st.from_regex(r"[A-Za-z0-9/&+#%;-]{1,50}", fullmatch=True)
DAYS = st.dates(FIRST_DAY, TODAY)
FLAGS = st.sampled_from(
    [{}, {"externalReference": "pedido & 7"}, {"invoicingAgreement": "A-1"}, {"systemAgreement": "S"}]
)

SURCHARGES = {"21": ("5.2", "1.75"), "10": ("1.4",), "4": ("0.5",), "0": ()}
VAT_NUMBERS = {
    "FR": "FR61954506077",
    "DE": "DE129273398",
    "GR": "EL123456789",
    "NL": "NL123456789B01",
    "GB": "XI123456789",
    "IT": "12345678901",
}


def named(strategy):
    return st.tuples(strategy, NAMES).map(lambda made: replace(made[0], name=made[1]))


def _party(tax_id, country="ES", kind=None):
    return Party(name="N", tax_id=tax_id, country=country, tax_id_kind=kind)


SPANISH = named(st.sampled_from(["B64717838", "J99216582", "X5253868R", "12345678Z", "es-12.345.678-z"]).map(_party))
BODIES = named(st.sampled_from(["P2807900B", "Q2826000H", "S2800214E"]).map(_party))
IN_THE_UNION = named(st.sampled_from(list(VAT_NUMBERS.items())).map(lambda pair: _party(pair[1], pair[0])))
WITH_PASSPORT = named(
    st.tuples(st.sampled_from(["ES", "US", "FR", "XK"]), st.text("AZ09-", min_size=1, max_size=20)).map(
        lambda made: _party(made[1], made[0], "passport")
    )
)
WITH_PAPERS = named(
    st.tuples(
        st.sampled_from(["official_id", "residence_certificate", "other"]), st.sampled_from(["US", "FR", "XK", "GB"])
    ).map(lambda made: _party("AB 12/3", made[1], made[0]))
)
ELSEWHERE = named(st.sampled_from(["US", "CN", "GB", "XK", "AD"]).map(lambda country: _party("12-3456789", country)))
NOT_REGISTERED = named(st.just(_party("12345678Z", kind="not_registered")))
CLIENTS = st.one_of(SPANISH, IN_THE_UNION, WITH_PASSPORT, WITH_PAPERS, ELSEWHERE, NOT_REGISTERED)
AGENTS = st.one_of(SPANISH.filter(lambda party: "12" not in party.tax_id), WITH_PASSPORT, WITH_PAPERS, ELSEWHERE)
"""Others than the issuer; no VAT number, which not every kind of invoice takes of them."""


@st.composite
def taxed(draw, bases, tax, rates, regimes):
    """A line with tax; with a base at cost its tax is of that."""
    rate, base = Decimal(draw(st.sampled_from(rates))), draw(bases)
    regime = draw(st.sampled_from(regimes))
    cost = base / 2 if regime == "06" or (tax in {"IPSI", "OTHER"} and draw(st.booleans())) else None
    cost = None if cost is None else cents(cost)
    if regime == "11" and tax is None:
        rate = Decimal(21)
    line = TaxLine(
        category=TaxCategory.STANDARD,
        rate=rate,
        base=base,
        amount=cents((base if cost is None else cost) * rate / 100),
        tax=tax,
        regime_key=regime,
        cost_base=cost,
        untaxed=draw(AMOUNTS) if regime in MARGIN_REGIMES else None,
    )
    allowed = SURCHARGES[f"{rate:f}"] if tax is None and line.untaxed is None else ()
    surcharge = draw(st.sampled_from((None, *allowed)))
    if surcharge is None or cost is not None:
        return line
    percent = Decimal(surcharge)
    return replace(line, surcharge_rate=percent, surcharge_amount=cents(base * percent / 100))


@st.composite
def untaxed(draw, bases, shapes):
    """A line without tax: (tax, category, exemption, regime)."""
    tax, category, exemption, regime = draw(st.sampled_from(shapes))
    says_why = category is NOT_SUBJECT and regime not in SURE_REGIMES
    return TaxLine(
        category=category,
        rate=Decimal(0),
        base=draw(bases),
        amount=Decimal("0.00"),
        tax=tax,
        exemption_code=exemption,
        regime_key=regime,
        not_subject_reason=draw(st.sampled_from(list(REASONS))) if says_why else None,
    )


EXEMPT, NOT_SUBJECT = TaxCategory.EXEMPT, TaxCategory.NOT_SUBJECT
SURE_REGIMES = {"08", "10", "20"}
ANYWHERE = [
    *((None, EXEMPT, code, None) for code in (None, "E1", "E2", "E3", "E4", "E6")),
    *(("IGIC", EXEMPT, code, None) for code in (None, "E1", "E2", "E3", "E6", "E7", "E8")),
    *(("IPSI", EXEMPT, code, None) for code in ("E1", "E2", "E6")),
    *((tax, EXEMPT, "E1", regime) for tax in (None, "IGIC") for regime in ("02", "03", "04", "07", "15")),
    *((tax, NOT_SUBJECT, None, regime) for tax in (None, "IGIC") for regime in (None, "08", "17")),
    ("IGIC", NOT_SUBJECT, None, "20"),
    ("IPSI", NOT_SUBJECT, None, "19"),
    ("OTHER", EXEMPT, None, None),
    ("OTHER", NOT_SUBJECT, None, None),
    (None, TaxCategory.EXPORT, None, None),
    ("IGIC", TaxCategory.EXPORT, None, None),
]
REVERSED = [(tax, TaxCategory.REVERSE_CHARGE, None, None) for tax in (None, "IGIC", "IPSI", "OTHER")]
TO_THE_UNION = [(None, TaxCategory.INTRA_EU_GOODS, None, None), (None, TaxCategory.INTRA_EU_SERVICES, None, None)]
COLLECTED = [(None, NOT_SUBJECT, None, "10")]

VAT_REGIMES = (None, "01", "03", "05", "07", "09", "11", "15", "17", "18", "19", "20")
IGIC_REGIMES = (None, "01", "03", "05", "07", "11", "15", "17", "18", "19", "21")
IPSI_REGIMES = (None, "01", "08", "11", "18", "19", "20")


@st.composite
def lines(draw, kind, client):
    """One to five tax lines that may stand on a document of this kind to this client."""
    most = 9_000 if kind == "F2" else draw(st.sampled_from([10_000_000, 20_000_000_000]))
    least = 0 if kind == "F2" else -most
    bases = st.one_of(st.integers(least, most), st.sampled_from([least, most])).map(
        lambda value: Decimal(value).scaleb(-2)
    )
    vat = (*VAT_REGIMES, *(() if kind in {"F2", "F3", "R5"} else ("06",)))
    choices = [
        taxed(bases, None, list(SURCHARGES), vat),
        taxed(bases, "IGIC", ("0", "3", "7", "9.5", "15", "20"), IGIC_REGIMES),
        taxed(bases, "IPSI", ("0.5", "4", "10"), IPSI_REGIMES),
        taxed(bases, "OTHER", ("1", "100"), (None,)),
        untaxed(bases, ANYWHERE),
    ]
    if kind not in NOBODY:
        choices.append(untaxed(bases, REVERSED))
        if client.tax_id in VAT_NUMBERS.values():
            choices.append(untaxed(bases, TO_THE_UNION))
        if kind == "F1" and client.country == "ES" and client.tax_id_kind is None:
            choices.append(untaxed(bases, COLLECTED))
    return draw(st.lists(st.one_of(choices), min_size=1, max_size=5))


REFS = st.lists(st.builds(DocumentRef, number=NUMBERS, issue_date=DAYS), min_size=1, max_size=3).map(tuple)


@st.composite
def corrections(draw, reason):
    by_differences = draw(st.booleans())
    found = Correction(documents=draw(REFS), reason=reason)
    if by_differences:
        return found
    return replace(
        found,
        method="substitution",
        replaced_base=draw(AMOUNTS),
        replaced_tax=draw(AMOUNTS),
        replaced_surcharge=draw(st.none() | AMOUNTS),
    )


KINDS = st.sampled_from(["F1", "F2", "F3", "R1", "R2", "R3", "R4", "R5"])


@st.composite
def documents(draw, kind):
    """A document of this TipoFactura, issued on a day of 2025 or 2026."""
    client, details = draw(CLIENTS), dict(draw(FLAGS))
    changes = {"issuer": replace(ISSUER, name=draw(NAMES)), "description": draw(TEXTS), "number": draw(NUMBERS)}
    changes |= _form(draw, kind, client, details)
    issued = draw(DAYS)
    operated = draw(st.none() | st.dates(FIRST_DAY, issued))
    made = invoice(*draw(lines(kind, client)), issue_date=issued, operation_date=operated, details=details, **changes)
    return draw(_by_another(made, kind))


def _form(draw, kind, client, details):
    """Fields that make a document be of its kind; flags go into `details`."""
    if kind == "F2":
        if draw(st.booleans()):
            return {"kind": DocumentKind.SIMPLIFIED, "recipient": draw(st.sampled_from([None, client]))}
        details["withoutRecipientId"] = True
        return {"kind": DocumentKind.INVOICE, "recipient": client}
    if kind.startswith("R"):
        flag = {"R5": "withoutRecipientId", "R1": "coupon"}.get(kind, "identifiedRecipient")
        details |= {flag: True} if draw(st.booleans()) else {}
        recipient = None if kind == "R5" else client
        return {"kind": DocumentKind.CREDIT_NOTE, "recipient": recipient, "correction": draw(corrections(kind))}
    if kind == "F3":
        return {"kind": DocumentKind.INVOICE, "recipient": client, "substitutes": draw(REFS)}
    details |= {"identifiedRecipient": True} if draw(st.booleans()) else {}
    simple = details.get("identifiedRecipient", False) and draw(st.booleans())
    return {"kind": DocumentKind.SIMPLIFIED if simple else DocumentKind.INVOICE, "recipient": client}


@st.composite
def _by_another(draw, made, kind):
    by = draw(st.sampled_from(IssuedBy))
    if by is IssuedBy.THIRD_PARTY:
        return replace(made, issued_by=by, third_party=draw(AGENTS))
    return made if by is IssuedBy.RECIPIENT and kind in NOBODY else replace(made, issued_by=by)


@st.composite
def certificates_of_works(draw):
    """Works certified to a public body before they are done (regime 14): the one that looks ahead."""
    line = draw(taxed(AMOUNTS, None, ["21", "10"], ["14"]))
    ahead = TODAY + timedelta(days=draw(st.integers(1, 40)))
    return invoice(line, recipient=draw(BODIES), number=draw(NUMBERS), operation_date=ahead)


def any_document():
    return st.one_of(*[KINDS.flatmap(documents)] * 5, certificates_of_works())


@st.composite
def annulments(draw, document):
    """The wish that `document` be struck out, by whoever may."""
    wish = Annulment(
        issuer=document.issuer, document=DocumentRef(number=document.number, issue_date=document.issue_date)
    )
    by = draw(st.sampled_from(IssuedBy))
    if by is IssuedBy.ISSUER:
        return replace(wish, generator=draw(st.sampled_from([None, ISSUER])))
    agents = AGENTS if by is IssuedBy.THIRD_PARTY else st.one_of(AGENTS, NOT_REGISTERED, IN_THE_UNION)
    return replace(wish, generated_by=by, generator=draw(agents))
