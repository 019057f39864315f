"""Every kind of RegistroAlta and every tax: what the document says is where the authority looks for it."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from lxml import etree
from spanish_documents import (
    AMERICAN,
    CHANNEL,
    CLIENT,
    FRENCH,
    ISSUER,
    TODAY,
    credit_note,
    invoice,
    line,
    not_subject,
    simplified,
)
from spanish_records import SF

from ledgerkit.providers.api import (
    Correction,
    DocumentRef,
    Environment,
    Installation,
    IssuedBy,
    PastRecord,
    Place,
    State,
    TaxCategory,
)
from ledgerkit.providers.es import country
from ledgerkit.providers.es.tax import DETAILS, EXEMPTIONS, REGIMES, TAX_ID_KINDS, TAXES
from ledgerkit.providers.es.verifactu import parties, record
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.setup import Software

AT = datetime(2026, 11, 20, 10, 30, 15, tzinfo=ZoneInfo("Europe/Madrid"))
HERE = Place(
    previous=None,
    installation=Installation(number="0001", several_issuers=False),
    at=AT,
    environment=Environment.SANDBOX,
)
TICKETS = (DocumentRef(number="T2026-0001", issue_date=TODAY), DocumentRef(number="T2026-0002", issue_date=TODAY))
ORIGINAL = DocumentRef(number="F2026-0001", issue_date=TODAY)
AGENCY = replace(CLIENT, name="Gestoría SL", tax_id="J99216582")


def sealed(document, past=()):
    return CHANNEL.seal(document, HERE, past)


def root(document, past=()):
    return etree.fromstring(sealed(document, past).content)


def texts(document, *names, past=()):
    found = root(document, past)
    return [next((node.text for node in found.iter(SF + name)), None) for name in names]


def entries(document):
    return [{etree.QName(leaf).localname: leaf.text for leaf in one} for one in root(document).iter(SF + _DETAIL)]


_DETAIL = "DetalleDesglose"
BY_SUBSTITUTION = Correction(
    documents=(ORIGINAL,),
    method="substitution",
    reason="R4",
    replaced_base=Decimal("90.00"),
    replaced_tax=Decimal("18.90"),
    replaced_surcharge=Decimal("4.68"),
)
KINDS = {
    "F1": invoice(),
    "F2": simplified(),
    "F3": invoice(substitutes=TICKETS),
    **{
        f"R{ordinal}": credit_note(correction=Correction(documents=(ORIGINAL,), reason=f"R{ordinal}"))
        for ordinal in range(1, 6)
    },
}
FLAGGED = {
    "simplified, client identified": simplified(recipient=CLIENT, details={"identifiedRecipient": True}),
    "full, client identified as in a simplified one": invoice(details={"identifiedRecipient": True}),
    "full, client not identified": invoice(details={"withoutRecipientId": True}),
    "correction, client not identified": credit_note(details={"withoutRecipientId": True}),
    "coupon": credit_note(details={"coupon": True}),
    "references": invoice(
        details={"externalReference": "A&B 7", "invoicingAgreement": "ACUERDO-1", "systemAgreement": "SISTEMA-1"}
    ),
    "issued by the client": invoice(issued_by=IssuedBy.RECIPIENT),
    "issued by a third party": invoice(issued_by=IssuedBy.THIRD_PARTY, third_party=AGENCY),
    "issued by a foreign third party": invoice(issued_by=IssuedBy.THIRD_PARTY, third_party=AMERICAN),
    "to oneself": invoice(recipient=ISSUER),
    "replaced with surcharge": credit_note(line(surcharge="5.2"), correction=BY_SUBSTITUTION),
    "negated F3": invoice(line("-100.00"), substitutes=TICKETS),
}


@pytest.mark.parametrize("document", (KINDS | FLAGGED).values(), ids=KINDS | FLAGGED)
@pytest.mark.parametrize("past", [(), (PastRecord(kind="issue", state=State.REJECTED),)], ids=["first", "again"])
def test_every_kind_keeps_to_the_schema(valid, document, past):
    valid(sealed(document, past))


@pytest.mark.parametrize(("kind", "document"), KINDS.items())
def test_a_document_has_the_type_that_it_is(kind, document):
    assert texts(document, "TipoFactura") == [kind]
    assert bool(list(root(document).iter(f"{SF}Destinatarios"))) == (kind not in {"F2", "R5"})


@pytest.mark.parametrize(
    ("document", "kind", "mark"),
    [
        (FLAGGED["simplified, client identified"], "F1", "FacturaSimplificadaArt7273"),
        (FLAGGED["full, client identified as in a simplified one"], "F1", "FacturaSimplificadaArt7273"),
        (FLAGGED["full, client not identified"], "F2", "FacturaSinIdentifDestinatarioArt61d"),
        (FLAGGED["correction, client not identified"], "R5", "FacturaSinIdentifDestinatarioArt61d"),
        (FLAGGED["coupon"], "R1", "Cupon"),
    ],
)
def test_flags_are_said_and_change_the_type_where_the_law_does(document, kind, mark):
    names = ("FacturaSimplificadaArt7273", "FacturaSinIdentifDestinatarioArt61d", "Cupon")

    assert texts(document, "TipoFactura", *names) == [kind, *("S" if name == mark else None for name in names)]


@pytest.mark.parametrize("said", [False, "yes", "true", ""])
def test_a_flag_is_only_said_by_yes(said):
    assert texts(invoice(details={"withoutRecipientId": said}), "TipoFactura") == ["F1"]


def test_references_are_texts_of_their_lengths(valid):
    document = invoice(details=dict.fromkeys(record.REFERENCES, "ñ" * 70))
    valid(sealed(document))
    names = [name for name, _ in record.REFERENCES.values()]

    assert texts(FLAGGED["references"], *names) == ["A&B 7", "ACUERDO-1", "SISTEMA-1"]
    assert [len(text) for text in texts(document, *names)] == [60, 15, 16]
    assert texts(invoice(details=dict.fromkeys(record.REFERENCES, " ")), *names) == [None, None, None]


def test_an_invoice_in_place_of_simplified_ones_names_them():
    listed = root(KINDS["F3"]).findall(f"{SF}FacturasSustituidas/{SF}IDFacturaSustituida")

    assert [[leaf.text for leaf in one] for one in listed] == [
        ["12345678Z", "T2026-0001", "20-11-2026"],
        ["12345678Z", "T2026-0002", "20-11-2026"],
    ]
    assert texts(simplified(substitutes=TICKETS), "FacturasSustituidas") == [None]


def test_a_substitution_says_the_surcharge_that_it_replaces():
    names = ("BaseRectificada", "CuotaRectificada", "CuotaRecargoRectificado")

    assert texts(FLAGGED["replaced with surcharge"], *names) == ["90.00", "18.90", "4.68"]


@pytest.mark.parametrize(
    ("document", "role", "party"),
    [
        (invoice(), None, None),
        (FLAGGED["issued by the client"], "D", None),
        (FLAGGED["issued by a third party"], "T", ["Gestoría SL", "J99216582"]),
        (FLAGGED["issued by a foreign third party"], "T", ["Acme Inc", "US", "04", "12-3456789"]),
    ],
)
def test_who_made_the_document_out_is_said(document, role, party):
    third = root(document).find(f"{SF}Tercero")

    assert texts(document, "EmitidaPorTerceroODestinatario") == [role]
    assert (None if third is None else [leaf.text for leaf in third.iter() if not len(leaf)]) == party


@pytest.mark.parametrize(
    ("past", "expected"),
    [
        ((), [None, None]),
        ((PastRecord(kind="issue", state=State.REJECTED, code="1124"),), ["S", "X"]),
        ((PastRecord(kind="issue", state=State.ACCEPTED_WITH_ERRORS, code="2005"),), ["S", None]),
        (
            (
                PastRecord(kind="issue", state=State.ACCEPTED),
                PastRecord(kind="issue", state=State.REJECTED, code="1124"),
            ),
            ["S", "S"],
        ),
    ],
)
def test_a_record_that_corrects_one_says_so_and_keeps_name_and_qr(past, expected):
    first, again = sealed(invoice()), sealed(invoice(), past)

    assert texts(invoice(), "Subsanacion", "RechazoPrevio", past=past) == expected
    assert (again.fiscal_id, again.qr_url, again.kind) == (first.fiscal_id, first.qr_url, "issue")


PASSPORT = replace(AMERICAN, tax_id="C01X0006H", country="FR", tax_id_kind="passport")


@pytest.mark.parametrize(
    ("party", "identity"),
    [
        (PASSPORT, ["FR", "03", "C01X0006H"]),
        (replace(PASSPORT, country="ES"), ["ES", "03", "C01X0006H"]),
        (replace(PASSPORT, tax_id_kind="official_id"), ["FR", "04", "C01X0006H"]),
        (replace(PASSPORT, tax_id_kind="residence_certificate"), ["FR", "05", "C01X0006H"]),
        (replace(PASSPORT, tax_id_kind="other", country="XK"), ["QU", "06", "C01X0006H"]),
        (replace(CLIENT, tax_id="es-12345678-z", tax_id_kind="not_registered"), ["ES", "07", "12345678Z"]),
        (replace(FRENCH, tax_id_kind=None), ["02", "FR61954506077"]),
        (replace(FRENCH, tax_id_kind="something else"), ["02", "FR61954506077"]),
    ],
)
def test_a_party_is_identified_by_the_document_it_shows(valid, party, identity):
    valid(sealed(invoice(recipient=party)))
    other = root(invoice(recipient=party)).find(f"{SF}Destinatarios/{SF}IDDestinatario/{SF}IDOtro")

    assert [leaf.text for leaf in other] == identity


@pytest.mark.parametrize(
    "party",
    [
        replace(CLIENT, tax_id="12345678A", tax_id_kind="not_registered"),
        replace(FRENCH, tax_id="12345678Z", tax_id_kind="not_registered"),
        replace(PASSPORT, tax_id=" "),
    ],
)
def test_what_identifies_nobody_is_found_before_the_record_is_made(party):
    assert CHANNEL.preflight(invoice(recipient=party), TODAY)
    assert parties.identity(party) is None


def taxed(tax, **more):
    return line(rate="7", tax=tax, **more)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (line(), ("01", "01", "S1", None, "21.00", "21.00")),
        (taxed("IGIC"), ("03", "01", "S1", None, "7.00", "7.00")),
        (taxed("IGIC", regime_key="21"), ("03", "21", "S1", None, "7.00", "7.00")),
        (taxed("IPSI"), ("02", "01", "S1", None, "7.00", "7.00")),
        (taxed("IPSI", regime_key="18"), ("02", "18", "S1", None, "7.00", "7.00")),
        (taxed("OTHER"), ("05", None, "S1", None, "7.00", "7.00")),
        (taxed("OTHER", category=TaxCategory.EXEMPT), ("05", None, None, "E1", None, None)),
        (taxed("IGIC", category=TaxCategory.EXEMPT, exemption_code="E7"), ("03", "01", None, "E7", None, None)),
        (taxed("IGIC", category=TaxCategory.EXPORT), ("03", "02", None, "E2", None, None)),
        (taxed("IPSI", category=TaxCategory.EXPORT), ("02", "01", None, "E2", None, None)),
        (taxed("IGIC", category=TaxCategory.REVERSE_CHARGE), ("03", "01", "S2", None, "0.00", "0.00")),
        (taxed("IGIC", category=TaxCategory.NOT_SUBJECT, regime_key="20"), ("03", "20", "N2", None, None, None)),
        (not_subject("other", tax="IGIC"), ("03", "01", "N1", None, None, None)),
        (not_subject("location_rules", tax="IPSI"), ("02", "01", "N2", None, None, None)),
        (not_subject("other", tax="IGIC", regime_key="17"), ("03", "17", "N1", None, None, None)),
        (not_subject("other", regime_key="20"), ("01", "20", "N1", None, None, None)),
    ],
)
def test_every_tax_has_its_code_and_its_regimes(valid, one, expected):
    valid(sealed(invoice(one)))
    (entry,) = entries(invoice(one))
    names = (
        "Impuesto",
        "ClaveRegimen",
        "CalificacionOperacion",
        "OperacionExenta",
        "TipoImpositivo",
        "CuotaRepercutida",
    )

    assert tuple(entry.get(name) for name in names) == expected


def test_the_base_at_cost_stands_beside_the_base(valid):
    group = line("100.00", regime_key="06", cost_base=Decimal("80.00"))
    valid(sealed(invoice(group)))

    (entry,) = entries(invoice(group, group))

    assert (entry["BaseImponibleOimporteNoSujeto"], entry["BaseImponibleACoste"]) == ("200.00", "160.00")
    assert list(entry).index("BaseImponibleACoste") == list(entry).index("BaseImponibleOimporteNoSujeto") + 1


def test_lines_of_different_taxes_are_never_one_entry():
    document = invoice(line(), line(tax="IGIC"), line(tax="IPSI"), line(tax="OTHER"), line(cost_base=Decimal(1)))

    assert len(entries(document)) == 5


def test_a_product_that_can_also_keep_records_says_so():
    class Dual:
        def software(self, environment):
            return Software(
                producer_name="P",
                producer_tax_id="89890003T",
                system_name="S",
                system_id="LK",
                version="1",
                only_reporting=False,
            )

    both = etree.fromstring(VerifactuChannel(Dual()).seal(invoice(), HERE).content)

    assert both.findtext(f"{SF}SistemaInformatico/{SF}TipoUsoPosibleSoloVerifactu") == "N"
    assert texts(invoice(), "TipoUsoPosibleSoloVerifactu") == ["S"]


def test_spain_says_what_a_line_a_party_and_a_document_may_carry():
    tax = country.tax

    assert set(tax.taxes) == set(TAXES) == {key for key in REGIMES if key} == {key for key in EXEMPTIONS if key}
    assert set(tax.regime_keys) == {key for keys in REGIMES.values() for key in keys}
    assert set(tax.exemption_codes) == {key for keys in EXEMPTIONS.values() for key in keys}
    assert (set(tax.tax_id_kinds), set(tax.document_details)) == (set(TAX_ID_KINDS), set(DETAILS))
    assert tax.rates(TODAY)
    assert [tax.rates(TODAY, key) for key in TAXES] == [(), (), ()]
