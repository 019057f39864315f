"""The declaration of responsibility and the days of the law, as the operator's configuration makes them."""

import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from lxml import etree
from spanish_documents import invoice

import ledgerkit.core
from ledgerkit import __version__
from ledgerkit.providers.api import Declaration, Environment, Installation, Party, Place
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu import PREFIX
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.declaring import InstalledParts, description
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.web.dist import DIRECTORY, INDEX

WHOLE = {
    "producer_name": "Productora  del Norte, S.L.",
    "producer_tax_id": "ES-B64717838",
    "producer_address": "Calle Mayor, 1, 28013 Madrid (España)",
    "declaration_place": "Madrid (España)",
    "declaration_date": date(2026, 11, 21),
}
REAL = [Environment.TEST, Environment.PRODUCTION]


def channel(**values) -> VerifactuChannel:
    return VerifactuChannel(VerifactuSettings(_env_file=None, **values))


def declared(environment=Environment.PRODUCTION, **values):
    return channel(**values).declares.declaration(environment)


def issuer(tax_id: str | None) -> Party:
    return Party(name="Emisora", tax_id=tax_id, country="ES")


def values(found: Declaration) -> dict[str, str]:
    return {item.key: item.value for item in found.items}


def test_the_declarations_items_stand_in_the_order_of_the_law():
    found = declared(**WHOLE)

    assert found.title == "DECLARACIÓN RESPONSABLE DEL SISTEMA INFORMÁTICO DE FACTURACIÓN"
    assert [item.key for item in found.items] == [f"1.{letter}" for letter in "abcdefghijkl"]
    assert all(item.text and item.value for item in found.items)
    assert (found.version, found.language, found.notice, found.annex) == (__version__, "es", None, ())


@pytest.mark.parametrize("mode", ["on", "off"])
@pytest.mark.parametrize("several", [True, False])
def test_the_declaration_names_the_software_as_every_record_does(mode, several):
    made = channel(**WHOLE, signed_mode=mode, system_name="Facturas  Norte", system_id="7Z")
    place = Place(
        previous=None,
        installation=Installation(number="1", several_issuers=several),
        at=datetime(2026, 11, 21, 10, tzinfo=UTC),
        environment=Environment.PRODUCTION,
    )
    record = etree.fromstring(made.seal(invoice(), place).content)
    told = {etree.QName(leaf).localname: leaf.text for leaf in record.find("{*}SistemaInformatico")}

    said = values(made.declares.declaration(Environment.PRODUCTION))

    assert {
        "NombreSistemaInformatico": said["1.a"],
        "IdSistemaInformatico": said["1.b"],
        "Version": said["1.c"],
        "TipoUsoPosibleSoloVerifactu": said["1.e"],
        "TipoUsoPosibleMultiOT": said["1.f"],
        "NombreRazon": said["1.h"],
        "NIF": said["1.i"],
    } == {name: text for name, text in told.items() if name not in {"NumeroInstalacion", "IndicadorMultiplesOT"}}


def test_signatures_are_declared_where_there_are_any():
    only, both = (values(declared(**WHOLE, signed_mode=mode)) for mode in ("off", "on"))

    assert (only["1.e"], both["1.e"]) == ("S", "N")
    assert only["1.g"].startswith("Ninguno")
    assert "XAdES" in both["1.g"]


def test_law_version_day_and_place_are_named():
    said = values(declared(**WHOLE))

    assert all(law in said["1.k"] for law in ("29.2", "58/2003", "1007/2023", "HAC/1177/2024", __version__))
    assert said["1.l"] == "21 de noviembre de 2026, en Madrid (España)"


def test_the_annex_holds_what_is_configured():
    found = declared(**WHOLE, producer_contact="tel. 910 000 000", producer_web="https://norte.example")

    assert [(item.key, item.value) for item in found.annex] == [
        ("2.a", "tel. 910 000 000"),
        ("2.b", "https://norte.example"),
    ]


@pytest.mark.parametrize("environment", REAL)
@pytest.mark.parametrize("name", list(WHOLE))
def test_there_is_no_declaration_when_any_fact_is_missing(environment, name):
    lacking = declared(environment, **{key: value for key, value in WHOLE.items() if key != name})

    assert [one.field for one in lacking] == [PREFIX + name.upper()]
    assert lacking[0].remedy


def test_all_missing_facts_are_named():
    assert {one.field for one in declared()} == {PREFIX + name.upper() for name in WHOLE}


def test_a_producer_with_a_wrong_nif_declares_nothing():
    lacking = declared(**{**WHOLE, "producer_tax_id": "B64717839"})

    assert [one.field for one in lacking] == [f"{PREFIX}PRODUCER_TAX_ID"]


def test_the_sandbox_shows_a_specimen_that_says_so():
    specimen, real = declared(Environment.SANDBOX), declared(Environment.SANDBOX, **WHOLE)

    assert "NO ES UNA DECLARACIÓN" in specimen.notice
    assert "Demo" in values(specimen)["1.h"]
    assert all(values(specimen).values())
    assert (real.notice, values(real)["1.i"]) == (None, "B64717838")


# ---------------------------------------------------------------- days


def test_the_days_of_the_law():
    producers, companies, others = channel().declares.obligations()

    assert (producers.since, companies.since, others.since) == (
        date(2025, 7, 29),
        date(2027, 1, 1),
        date(2027, 7, 1),
    )
    assert companies.former[-1].since == date(2026, 1, 1)
    assert all(one.source for one in (producers, companies, others))
    assert producers.announced is None
    for one in (companies, others):
        assert (one.announced.since, one.announced.announced_on) == ("2028-10", date(2026, 10, 5))
        assert one.announced.enacted is False
        assert "Ministerio de Hacienda" in one.announced.source
        assert "todavía no es ley" in one.announced.text
        assert one.since < date(2028, 10, 1)


def test_the_operator_may_know_better():
    made = channel(obliged_companies_from=date(2028, 1, 1), obliged_announced="Anunciado para 2028")

    _, companies, others = made.declares.obligations()

    assert companies.since == date(2028, 1, 1)
    assert companies.source == "fecha que ha puesto quien opera esta instalación"
    assert (companies.former[-1].since, others.since) == (date(2027, 1, 1), date(2027, 7, 1))
    assert companies.announced == others.announced
    assert (others.announced.text, others.announced.since, others.announced.enacted) == (
        "Anunciado para 2028",
        None,
        False,
    )
    assert others.announced.source == "aviso que ha puesto quien opera esta instalación"


def test_each_kind_of_taxpayer_has_a_day_of_its_own():
    _, companies, others = channel(obliged_others_from=date(2028, 7, 1)).declares.obligations()

    assert (companies.since, others.since) == (date(2027, 1, 1), date(2028, 7, 1))
    assert others.former[-1].since == date(2027, 7, 1)
    assert (companies.announced is None, others.announced) == (False, None)


def test_the_same_day_configured_changes_nothing():
    assert channel(obliged_others_from=date(2027, 7, 1)).declares.obligations() == channel().declares.obligations()


@pytest.mark.parametrize(
    ("tax_id", "since"),
    [
        ("A58818501", date(2027, 1, 1)),
        ("B12345674", date(2027, 1, 1)),
        ("J12345674", date(2027, 1, 1)),
        ("E12345674", date(2027, 7, 1)),
        ("12345678Z", date(2027, 7, 1)),
        ("X1234567L", date(2027, 7, 1)),
    ],
)
def test_the_kind_of_nif_tells_from_when_an_issuer_is_obliged(tax_id, since):
    obligation = channel().declares.obligation_of(issuer(tax_id))

    assert obligation is not None
    assert obligation.since == since


@pytest.mark.parametrize("tax_id", [None, "", "no NIF", "P2807900B", "S2800000H"])
def test_who_is_left_out_or_not_known_yet_is_not_obliged(tax_id):
    assert channel().declares.obligation_of(issuer(tax_id)) is None


def test_the_operators_day_counts_for_an_issuer():
    declares = channel(obliged_companies_from=date(2028, 10, 1)).declares

    assert declares.obligation_of(issuer("B12345674")).since == date(2028, 10, 1)


# ---------------------------------------------------------------- what is installed

SECTIONS = Path(__file__).parents[4] / "web" / "src" / "app" / "sections.ts"
NAMED_AS = {
    "/": "un resumen de inicio",
    "/approvals": "espera a que una persona lo apruebe",
    "/invoices": "Emite facturas, facturas simplificadas y rectificativas",
    "/clients": "clientes",
    "/till": "la caja de un punto de venta",
    "/catalog": "catálogo y existencias",
    "/expenses": "gastos",
    "/payables": "facturas recibidas y sus pagos",
    "/vendors": "proveedores",
    "/tax": "Prepara los modelos",
    "/einvoice": "VERI*FACTU",
    "/reports": "informes",
    "/tasks": "tareas",
    "/team": "los equipos con sus miembros y roles",
    "/settings": "los ajustes de cada empresa",
}
"""Words of the declaration for each entry of the web app's menu."""

EVERYTHING = InstalledParts(web_application=True, receipt_reader=True)


def test_the_declaration_names_every_entry_of_the_menu():
    entries = re.findall(r'path: "([^"]+)"', SECTIONS.read_text(encoding="utf-8"))

    assert sorted(entries) == sorted(NAMED_AS)
    assert [words for words in NAMED_AS.values() if words not in description(EVERYTHING, signs_records=False)] == []


CORE = Path(ledgerkit.core.__file__).parent
NAMED_IN = {
    "activity": "un registro de actividad",
    "ai": "un modelo de lenguaje externo",
    "api_keys": "claves de acceso",
    "approvals": "espera a que una persona lo apruebe",
    "attachments": "Guarda ficheros adjuntos",
    "backup": "copias de seguridad y su restauración",
    "business_context": "instrucciones para asistentes",
    "cash_register": "la caja de un punto de venta con sus cierres",
    "catalog": "catálogo y existencias",
    "clients": "clientes",
    "declarations": "Prepara los modelos",
    "downloads": "enlaces que caducan",
    "einvoice": "genera y encadena sus registros de facturación",
    "expenses": "gastos",
    "going_live": "pasa de las pruebas a la producción",
    "identity": "La facturación de cada obligado va aparte",
    "imports": "importa facturas de otros programas",
    "reading": "lee tiques y facturas recibidas",
    "invoices": "Emite facturas, facturas simplificadas y rectificativas",
    "mail": "envía documentos por correo electrónico",
    "messaging": "por el chat de una aplicación de mensajería",
    "oauth": "con la autorización de cada persona",
    "personal_data": "exporta los datos de cada persona",
    "reports": "informes",
    "searching": "busca en todo ello",
    "supplier_invoices": "facturas recibidas y sus pagos",
    "tasks": "tareas",
    "teams": "los equipos con sus miembros y roles",
    "vendors": "proveedores",
}
"""Words of the declaration for each room of the house that does something for its users."""

MACHINERY = {
    "api_types",
    "confined",
    "countries",
    "credentials",
    "database",
    "documents",
    "event_loop",
    "installation",
    "jobs",
    "merging",
    "pages",
    "received_documents",
    "records",
    "request",
    "undoing",
}
"""Rooms that serve the others: what they do shows there."""


def test_the_declaration_names_every_room_of_the_house():
    wings = [CORE, *(CORE / name for name in ledgerkit.core.WINGS_OF_DOMAINS)]
    rooms = {one.name for wing in wings for one in wing.iterdir() if (one / "__init__.py").is_file()}
    rooms -= ledgerkit.core.WINGS_OF_DOMAINS
    said = description(EVERYTHING, signs_records=False)

    assert sorted(rooms) == sorted(set(NAMED_IN) | MACHINERY), "a new room is named in item d (declaring.py), and here"
    assert {room: words for room, words in NAMED_IN.items() if words not in said} == {}


def test_the_declaration_names_every_way_in():
    said = description(EVERYTHING, signs_records=False)
    ways = {"web": "aplicación web", "routers": "API web (HTTP", "mcp_server": "(MCP", "commands": "órdenes de consola"}
    servants = {"http_server", "openapi", "embedded_postgres", "problems", "settings", "telemetry", "texts"}
    within = {"cli", "core", "providers", *servants}
    packages = {one.name for one in CORE.parent.iterdir() if one.is_dir() and one.name != "__pycache__"}

    assert sorted(packages - within) == sorted(ways), "a new way in is named in item d (declaring.py), and here"
    assert {way: words for way, words in ways.items() if words not in said} == {}


def test_the_declaration_names_every_tax_form():
    said = description(EVERYTHING, signs_records=False)

    assert country.declarations
    assert [form.code for form in country.declarations if not re.search(rf"\b{form.code}\b", said)] == []


def test_the_declaration_names_no_part_that_is_not_installed():
    whole = description(EVERYTHING, signs_records=True)
    bare = description(InstalledParts(web_application=False, receipt_reader=False), signs_records=False)

    assert "aplicación web para el navegador" in whole
    assert "lee tiques y facturas recibidas en el propio servidor" in whole
    assert "firma y conserva los registros" in whole
    assert "navegador" not in bare
    assert "en el propio servidor" not in bare
    assert "funciona solo como VERI*FACTU" in bare
    assert max(len(whole), len(bare)) <= 4000


def test_the_declaration_describes_this_installation_unless_the_operator_does():
    here = description(InstalledParts.here(), signs_records=False)

    assert values(declared(**WHOLE))["1.d"] == here
    assert values(declared(**WHOLE, system_components="Otra cosa."))["1.d"] == "Otra cosa."


def test_a_built_web_application_is_found_where_the_server_looks_for_it():
    assert InstalledParts.here().web_application == (DIRECTORY / INDEX).is_file()
