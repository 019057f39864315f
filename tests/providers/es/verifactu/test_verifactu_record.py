from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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
    of_margin,
    simplified,
)
from spanish_records import SF, issue_fingerprint

from ledgerkit import __version__
from ledgerkit.providers.api import (
    ChainLink,
    Correction,
    DocumentRef,
    Environment,
    Heading,
    Installation,
    Party,
    Place,
    TaxCategory,
)
from ledgerkit.providers.es.verifactu.xml import SUBMISSION
from support.sampling import examples

MADRID = ZoneInfo("Europe/Madrid")
AT = datetime(2026, 11, 20, 10, 30, 15, 987654, tzinfo=MADRID)
HERE = Installation(number="0001", several_issuers=False)


def sealed(document, previous=None, at=AT, installation=HERE):
    place = Place(previous=previous, installation=installation, at=at, environment=Environment.SANDBOX)
    return CHANNEL.seal(document, place)


def link(record):
    return ChainLink(
        issuer_tax_id=record.issuer_tax_id,
        number=record.number,
        issue_date=record.issue_date,
        fingerprint=record.fingerprint,
    )


def parsed(record):
    return etree.fromstring(record.content)


def said(document, *names, **more):
    """The texts of these leaves of the document's record, None where there is none."""
    root = parsed(sealed(document, **more))
    found = [next((node.text or "" for node in root.iter(SF + name)), None) for name in names]
    return found[0] if len(names) == 1 else found


def breakdown(document):
    root = parsed(sealed(document))
    return [{etree.QName(leaf).localname: leaf.text for leaf in detail} for detail in root.iter(f"{SF}DetalleDesglose")]


VARIETY = {
    "invoice": invoice(),
    "several rates": invoice(line(), line("50.00", "10"), line("10.00", "4"), line("10.00", "0")),
    "surcharge": invoice(line(surcharge="5.2")),
    "exempt": invoice(line(category=TaxCategory.EXEMPT)),
    "export": invoice(line(category=TaxCategory.EXPORT), recipient=AMERICAN),
    "reverse charge": invoice(line(category=TaxCategory.REVERSE_CHARGE)),
    "goods to France": invoice(line(category=TaxCategory.INTRA_EU_GOODS), recipient=FRENCH),
    "goods sent on to France": invoice(line(category=TaxCategory.INTRA_EU_GOODS), recipient=FRENCH, triangular=True),
    "service to France": invoice(line(category=TaxCategory.INTRA_EU_SERVICES), recipient=FRENCH),
    "service to America": invoice(not_subject("location_rules"), recipient=AMERICAN),
    "to Kosovo": invoice(not_subject("location_rules"), recipient=replace(AMERICAN, country="XK")),
    "not subject": invoice(not_subject("article_7")),
    "operated before": invoice(operation_date=date(2026, 10, 31)),
    "simplified": simplified(),
    "credit note": credit_note(),
    "simplified credit note": credit_note(recipient=None),
    "large": invoice(line("100000000.00")),
    "retained": invoice(retention=Decimal("15.00"), payable=Decimal("106.00")),
}


@pytest.mark.parametrize("document", VARIETY.values(), ids=VARIETY)
def test_every_kind_of_document_keeps_to_the_schema_and_passes_preflight(document, valid):
    valid(sealed(document))

    assert CHANNEL.preflight(document, TODAY) == []


def test_hash_qr_and_xml_share_their_literals():
    record = sealed(invoice())
    root = parsed(record)

    assert record.fingerprint == root.findtext(f"{SF}Huella") == issue_fingerprint(root)
    assert record.qr_url.endswith("?nif=12345678Z&numserie=F2026-0001&fecha=20-11-2026&importe=121.00")
    assert root.findtext(f"{SF}ImporteTotal") == "121.00"
    assert record.fiscal_id == "12345678Z:F2026-0001:2026-11-20"


def test_the_instant_keeps_its_offset_and_loses_its_fraction():
    summer = datetime(2026, 7, 1, 12, 0, 0, 1, tzinfo=MADRID)

    assert said(invoice(), "FechaHoraHusoGenRegistro") == "2026-11-20T10:30:15+01:00"
    assert said(invoice(), "FechaHoraHusoGenRegistro", at=summer) == "2026-07-01T12:00:00+02:00"


def test_an_instant_without_offset_is_our_mistake():
    with pytest.raises(ValueError, match="UTC offset"):
        sealed(invoice(), at=datetime(2026, 11, 20, 10, 30))  # noqa: DTZ001 - the mistake under test


@pytest.mark.parametrize(
    "document",
    [
        invoice(number="F\x00"),
        invoice(number="Ñ1"),
        invoice(number=" "),
        invoice(number="F" * 61),
        invoice(issuer=replace(ISSUER, tax_id="12345678A")),
        invoice(issuer=replace(ISSUER, tax_id=None)),
    ],
)
def test_no_record_is_made_that_would_spoil_the_chain(document):
    with pytest.raises(ValueError, match="no record can be made"):
        sealed(document)


def test_the_first_record_says_so_and_the_next_ones_carry_the_last():
    first = sealed(invoice())
    second = sealed(invoice(number="F2026-0002"), link(first))

    assert parsed(first).findtext(f"{SF}Encadenamiento/{SF}PrimerRegistro") == "S"
    carried = parsed(second).find(f"{SF}Encadenamiento/{SF}RegistroAnterior")
    assert [leaf.text for leaf in carried] == ["12345678Z", "F2026-0001", "20-11-2026", first.fingerprint]


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (invoice(), "F1"),
        (simplified(), "F2"),
        (simplified(recipient=CLIENT), "F2"),
        (credit_note(), "R1"),
        (credit_note(recipient=None), "R5"),
        (credit_note(correction=Correction(documents=(), reason="R4")), "R4"),
        (credit_note(correction=Correction(documents=(), reason="R5")), "R5"),
    ],
)
def test_invoice_types(document, kind):
    recipients = list(parsed(sealed(document)).iter(f"{SF}Destinatarios"))

    assert said(document, "TipoFactura") == kind
    assert len(recipients) == (0 if kind in {"F2", "R5"} else 1)


def test_a_credit_note_names_what_it_corrects_by_differences():
    root = parsed(sealed(credit_note()))

    corrected = root.find(f"{SF}FacturasRectificadas/{SF}IDFacturaRectificada")
    assert [leaf.text for leaf in corrected] == ["12345678Z", "F2026-0001", "20-11-2026"]
    assert root.findtext(f"{SF}TipoRectificativa") == "I"
    assert root.find(f"{SF}ImporteRectificacion") is None
    assert root.findtext(f"{SF}ImporteTotal") == "-121.00"


def test_a_credit_note_by_substitution_carries_what_it_replaces(valid):
    correction = Correction(
        documents=(DocumentRef(number="F2026-0001", issue_date=TODAY),),
        method="substitution",
        replaced_base=Decimal("90.00"),
        replaced_tax=Decimal("18.90"),
    )
    document = credit_note(line(), correction=correction)

    valid(sealed(document))

    assert said(document, "TipoRectificativa", "BaseRectificada", "CuotaRectificada") == ["S", "90.00", "18.90"]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (invoice(), ("01", "S1", None, "21.00", "21.00")),
        (invoice(line(category=TaxCategory.EXEMPT)), ("01", None, "E1", None, None)),
        (invoice(line(category=TaxCategory.EXEMPT, exemption_code="E6")), ("01", None, "E6", None, None)),
        (invoice(line(category=TaxCategory.EXEMPT, exemption_code="E3")), ("02", None, "E3", None, None)),
        (invoice(line(category=TaxCategory.EXPORT)), ("02", None, "E2", None, None)),
        (invoice(line(category=TaxCategory.INTRA_EU_GOODS)), ("01", None, "E5", None, None)),
        (invoice(line(category=TaxCategory.INTRA_EU_GOODS), triangular=True), ("01", "N2", None, None, None)),
        (invoice(line(category=TaxCategory.INTRA_EU_SERVICES)), ("01", "N2", None, None, None)),
        (invoice(line(category=TaxCategory.REVERSE_CHARGE)), ("01", "S2", None, "0.00", "0.00")),
        (invoice(not_subject("article_7")), ("01", "N1", None, None, None)),
        (invoice(not_subject("article_14")), ("01", "N1", None, None, None)),
        (invoice(not_subject("other"), recipient=FRENCH), ("01", "N1", None, None, None)),
        (invoice(not_subject("location_rules")), ("01", "N2", None, None, None)),
        (invoice(not_subject(None), place_of_supply="fr"), ("01", "N2", None, None, None)),
        (invoice(not_subject("article_7"), place_of_supply="FR"), ("01", "N1", None, None, None)),
        (invoice(not_subject(None, regime_key="08")), ("08", "N2", None, None, None)),
        (invoice(not_subject(None, regime_key="17")), ("17", "N2", None, None, None)),
        (invoice(not_subject(None, regime_key="10")), ("10", "N1", None, None, None)),
        (invoice(line(regime_key="07")), ("07", "S1", None, "21.00", "21.00")),
    ],
)
def test_categories_become_regime_qualification_and_exemption(document, expected):
    (detail,) = breakdown(document)
    names = ("ClaveRegimen", "CalificacionOperacion", "OperacionExenta", "TipoImpositivo", "CuotaRepercutida")

    assert tuple(detail.get(name) for name in names) == expected
    assert detail["BaseImponibleOimporteNoSujeto"] == "100.00"
    assert detail["Impuesto"] == "01"


def test_the_surcharge_counts_in_the_tax_and_in_the_total():
    document = invoice(line(surcharge="5.2"))

    (detail,) = breakdown(document)
    assert (detail["TipoRecargoEquivalencia"], detail["CuotaRecargoEquivalencia"]) == ("5.20", "5.20")
    assert said(document, "CuotaTotal", "ImporteTotal") == ["26.20", "126.20"]


@pytest.mark.parametrize("regime", ["03", "05"])
def test_a_margin_scheme_declares_the_margin_and_the_whole_price(regime):
    document = invoice(of_margin(regime, "379.00"))

    (detail,) = breakdown(document)
    assert detail["ClaveRegimen"] == regime
    assert (detail["BaseImponibleOimporteNoSujeto"], detail["CuotaRepercutida"]) == ("100.00", "21.00")
    assert said(document, "CuotaTotal", "ImporteTotal") == ["21.00", "500.00"]


def test_lines_of_one_combination_are_one_entry():
    document = invoice(
        line(category=TaxCategory.EXEMPT, exemption_code="E5"), line(category=TaxCategory.INTRA_EU_GOODS)
    )

    (detail,) = breakdown(document)

    assert detail["BaseImponibleOimporteNoSujeto"] == "200.00"


@pytest.mark.parametrize(
    "other",
    [line(regime_key="07"), line(rate="10"), line(surcharge="5.2"), line(category=TaxCategory.EXEMPT)],
    ids=["regime", "rate", "surcharge", "category"],
)
def test_lines_that_differ_are_entries_of_their_own(other):
    assert len(breakdown(invoice(line(), other))) == 2
    assert len(breakdown(invoice(other, other))) == 1


def test_an_entry_is_the_sum_of_its_lines():
    (detail,) = breakdown(invoice(line("100.00", surcharge="5.2"), line("50.00", surcharge="5.2")))

    names = ("BaseImponibleOimporteNoSujeto", "CuotaRepercutida", "CuotaRecargoEquivalencia")
    assert [detail[name] for name in names] == ["150.00", "31.50", "7.80"]


def test_zero_has_no_sign():
    document = invoice(line("-0.00"), gross_total=Decimal("-0.00"))

    assert said(document, "BaseImponibleOimporteNoSujeto", "CuotaTotal", "ImporteTotal") == ["0.00"] * 3


def test_the_retention_leaves_no_trace():
    document = invoice(retention=Decimal("15.00"), payable=Decimal("106.00"))

    assert sealed(document) == sealed(invoice())


@pytest.mark.parametrize(
    ("party", "identity"),
    [
        (CLIENT, {"NIF": "B64717838"}),
        (replace(CLIENT, tax_id="es b-64717838"), {"NIF": "B64717838"}),
        (FRENCH, {"IDType": "02", "ID": "FR61954506077"}),
        (replace(FRENCH, tax_id="61954506077"), {"IDType": "02", "ID": "FR61954506077"}),
        (Party(name="Ελλάς", tax_id="123456789", country="GR"), {"IDType": "02", "ID": "EL123456789"}),
        (replace(FRENCH, tax_id="passport 12"), {"CodigoPais": "FR", "IDType": "04", "ID": "passport 12"}),
        (replace(FRENCH, tax_id="ESX5253868R"), {"NIF": "X5253868R"}),
        (AMERICAN, {"CodigoPais": "US", "IDType": "04", "ID": "12-3456789"}),
        (replace(AMERICAN, country="XK"), {"CodigoPais": "QU", "IDType": "04", "ID": "12-3456789"}),
        (Party(name="B", tax_id="XI123456789", country="GB"), {"IDType": "02", "ID": "XI123456789"}),
        (
            Party(name="B", tax_id="GB123456789", country="GB"),
            {"CodigoPais": "GB", "IDType": "04", "ID": "GB123456789"},
        ),
    ],
)
def test_recipients_are_identified(party, identity, valid):
    record = sealed(invoice(recipient=party))
    valid(record)

    recipient = parsed(record).find(f"{SF}Destinatarios/{SF}IDDestinatario")
    leaves = {etree.QName(leaf).localname: leaf.text for leaf in recipient.iter() if not len(leaf)}
    assert leaves == {"NombreRazon": party.name} | identity


def test_an_operation_on_the_day_of_issue_is_not_repeated():
    assert said(invoice(operation_date=TODAY), "FechaOperacion") is None
    assert said(invoice(operation_date=date(2026, 10, 31)), "FechaOperacion") == "31-10-2026"


@pytest.mark.parametrize(("total", "mark"), [("99999999.99", None), ("100000000.00", "S"), ("-100000000.00", "S")])
def test_very_large_amounts_are_marked(total, mark):
    assert said(invoice(gross_total=Decimal(total)), "Macrodato") == mark


def test_texts_stay_whole_without_what_xml_forbids(valid):
    name = 'Ana & <b>"Hijos"</b> \x00\x0b\x1f\ufffe\n\t ]]> 😀'
    document = invoice(issuer=replace(ISSUER, name=name), description=f"<![CDATA[{name}")
    record = sealed(document)
    valid(record)

    assert said(document, "NombreRazonEmisor") == 'Ana & <b>"Hijos"</b> ]]> 😀'


def test_texts_are_cut_by_characters_at_the_schemas_lengths(valid):
    document = invoice(issuer=replace(ISSUER, name="😀" * 200), description="ñ" * 900)
    valid(sealed(document))

    name, description = said(document, "NombreRazonEmisor", "DescripcionOperacion")
    assert (len(name), len(description)) == (120, 500)


def test_the_software_says_who_it_is():
    names = ("NombreSistemaInformatico", "IdSistemaInformatico", "Version", "NumeroInstalacion")
    flags = ("TipoUsoPosibleSoloVerifactu", "TipoUsoPosibleMultiOT", "IndicadorMultiplesOT")
    many = Installation(number="7", several_issuers=True)

    assert said(invoice(), *names) == ["ledgerkit", "LK", __version__, "0001"]
    assert said(invoice(), *flags) == ["S", "S", "N"]
    assert said(invoice(), *flags, installation=many) == ["S", "S", "S"]


def test_a_message_embeds_the_stored_bytes_unchanged(valid):
    first = sealed(invoice())
    second = sealed(invoice(number="F2026-0002"), link(first))

    submission = valid(first, second)

    message = CHANNEL.message(Heading(issuer=ISSUER), [first.content, second.content])
    assert message.count(first.content) == message.count(second.content) == 1
    assert len(submission.findall(f"{{{SUBMISSION}}}RegistroFactura")) == 2
    assert submission.find(f".//{SF}RemisionVoluntaria") is None


def test_a_late_message_says_that_there_was_an_incident(valid):
    submission = valid(sealed(invoice()), late=True)

    assert submission.findtext(f".//{SF}RemisionVoluntaria/{SF}Incidencia") == "S"


@pytest.mark.parametrize("count", [0, 1001])
def test_a_message_has_one_to_a_thousand_records(count):
    with pytest.raises(ValueError, match="1 to 1000"):
        CHANNEL.message(Heading(issuer=ISSUER), [b"<a/>"] * count)


LINES = st.builds(
    line,
    base=st.integers(-10_000_000, 10_000_000).map(lambda value: f"{Decimal(value) / 100:.2f}"),
    rate=st.sampled_from(["21", "10", "4", "0"]),
    category=st.sampled_from([TaxCategory.STANDARD, TaxCategory.EXEMPT, TaxCategory.REVERSE_CHARGE]),
) | st.sampled_from(["article_7", "location_rules"]).map(not_subject)
NAMES = st.text(min_size=1, max_size=150).filter(lambda text: any(letter.isalnum() for letter in text[:50]))
NUMBERS = st.from_regex(r"[A-Za-z0-9/&+#%;-]{1,60}", fullmatch=True)


@settings(max_examples=examples(80), deadline=None)
@given(
    st.lists(st.tuples(st.lists(LINES, min_size=1, max_size=6), NUMBERS, NAMES, st.booleans()), min_size=1, max_size=4)
)
def test_any_valid_documents_give_a_valid_chain_that_verifies(valid, made):
    records, previous = [], None
    for position, (lines, number, name, corrective) in enumerate(made):
        build = credit_note if corrective else invoice
        document = build(*lines, number=number, recipient=replace(CLIENT, name=name), description=name)
        assert CHANNEL.preflight(document, TODAY) == []
        record = sealed(document, previous, at=AT + timedelta(seconds=position))
        assert record.fingerprint == issue_fingerprint(parsed(record))
        records.append(record)
        previous = link(record)

    valid(*records)

    for earlier, later in pairwise(records):
        carried = parsed(later).findtext(f"{SF}Encadenamiento/{SF}RegistroAnterior/{SF}Huella")
        assert carried == earlier.fingerprint
