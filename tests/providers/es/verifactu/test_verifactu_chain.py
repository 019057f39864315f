from hashlib import sha256
from pathlib import Path

import pytest
from lxml import etree
from spanish_records import SF, annulment_fingerprint, issue_fingerprint

from ledgerkit.providers.es.verifactu import chain

EXAMPLES = Path(__file__).parents[4].parent / "shared" / "spain" / "verifactu-examples"

FIRST = "3C464DAF61ACB827C65FDA19F352A4E3BDC2C640E9E9FC4CC058073F38F12F60"
SECOND = "F7B94CFD8924EDFF273501B01EE5153E4CE8F259766F88CF6ACB8935802A2B97"

OFFICIAL = [
    (
        {
            "issuer": "89890001K",
            "number": "12345678/G33",
            "issue_date": "01-01-2024",
            "kind": "F1",
            "tax_total": "12.35",
            "gross_total": "123.45",
            "previous": "",
            "generated_at": "2024-01-01T19:20:30+01:00",
        },
        FIRST,
    ),
    (
        {
            "issuer": "89890001K",
            "number": "12345679/G34",
            "issue_date": "01-01-2024",
            "kind": "F1",
            "tax_total": "12.35",
            "gross_total": "123.45",
            "previous": FIRST,
            "generated_at": "2024-01-01T19:20:35+01:00",
        },
        SECOND,
    ),
    (
        {
            "issuer": "89890001K",
            "number": "12345678-G66",
            "issue_date": "03-02-2025",
            "kind": "R3",
            "tax_total": "41.4",
            "gross_total": "241.4",
            "previous": "C9AF4AF1EF5EBBA700350DE3EEF12C2D355C56AC56F13DB2A25E0031BD2B7ED5",
            "generated_at": "2025-02-03T14:30:00+01:00",
        },
        "FF954378B64ED331A9B2366AD317D86E9DEC1716B12DD0ACCB172A6DC4C105AA",
    ),
]


@pytest.mark.parametrize(("fields", "fingerprint"), OFFICIAL)
def test_the_authoritys_own_vectors(fields, fingerprint):
    assert chain.of_issue(**fields) == fingerprint


def test_the_authoritys_annulment_vector():
    fingerprint = chain.of_annulment(
        issuer="89890001K",
        number="12345679/G34",
        issue_date="01-01-2024",
        previous=SECOND,
        generated_at="2024-01-01T19:20:40+01:00",
    )

    assert fingerprint == "177547C0D57AC74748561D054A9CEC14B4C4EA23D1BEFD6F2E69E3A388F90C68"


def test_blanks_at_the_ends_do_not_count_and_blanks_within_do():
    fields = OFFICIAL[0][0]

    assert chain.of_issue(**fields | {"number": " 12345678/G33\t"}) == FIRST
    assert chain.of_issue(**fields | {"number": "12345678 /G33"}) != FIRST


def test_literals_count_as_they_stand():
    """Neither escaped nor encoded, blanks within them and decimals not put in order."""
    fields = OFFICIAL[0][0] | {"number": "A&B <Ñ>  1%2", "gross_total": "123.450", "kind": ""}
    text = (
        "IDEmisorFactura=89890001K&NumSerieFactura=A&B <Ñ>  1%2&FechaExpedicionFactura=01-01-2024&TipoFactura="
        "&CuotaTotal=12.35&ImporteTotal=123.450&Huella=&FechaHoraHusoGenRegistro=2024-01-01T19:20:30+01:00"
    )

    assert chain.of_issue(**fields) == sha256(text.encode("utf-8")).hexdigest().upper()


@pytest.mark.parametrize("field", OFFICIAL[1][0])
def test_every_field_counts(field):
    fields = OFFICIAL[1][0]

    assert chain.of_issue(**fields | {field: fields[field] + "1"}) != SECOND


def samples():
    if not EXAMPLES.is_dir():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"reference material absent: {EXAMPLES}"))]
    files = [*sorted(EXAMPLES.glob("aeat-normalised/*.xml")), *sorted(EXAMPLES.glob("signed/*.xml"))]
    return [pytest.param(path, id=path.name) for path in files if not path.name.startswith(("consulta-", "soap-"))]


@pytest.mark.parametrize("path", samples())
def test_the_authoritys_samples_have_our_fingerprints(path):
    root = etree.fromstring(path.read_bytes())
    issued, annulled = list(root.iter(f"{SF}RegistroAlta")), list(root.iter(f"{SF}RegistroAnulacion"))

    assert issued or annulled
    for record in issued:
        assert record.findtext(f"{SF}Huella") == ours(record) == issue_fingerprint(record)
    for record in annulled:
        assert record.findtext(f"{SF}Huella") == ours_of_annulment(record) == annulment_fingerprint(record)


def said(record, path):
    return record.findtext("/".join(SF + name for name in path.split("/"))) or ""


def ours(record):
    return chain.of_issue(
        issuer=said(record, "IDFactura/IDEmisorFactura"),
        number=said(record, "IDFactura/NumSerieFactura"),
        issue_date=said(record, "IDFactura/FechaExpedicionFactura"),
        kind=said(record, "TipoFactura"),
        tax_total=said(record, "CuotaTotal"),
        gross_total=said(record, "ImporteTotal"),
        previous=said(record, "Encadenamiento/RegistroAnterior/Huella"),
        generated_at=said(record, "FechaHoraHusoGenRegistro"),
    )


def ours_of_annulment(record):
    return chain.of_annulment(
        issuer=said(record, "IDFactura/IDEmisorFacturaAnulada"),
        number=said(record, "IDFactura/NumSerieFacturaAnulada"),
        issue_date=said(record, "IDFactura/FechaExpedicionFacturaAnulada"),
        previous=said(record, "Encadenamiento/RegistroAnterior/Huella"),
        generated_at=said(record, "FechaHoraHusoGenRegistro"),
    )
