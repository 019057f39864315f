"""The producer's declaration of responsibility for this version, as the law demands it, from the configuration.

Order and content of the items: Orden HAC/1177/2024, art. 15; the components and what each does: art. 15.1.d. The values
that records carry too are made here as there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from importlib.util import find_spec

from ledgerkit.providers.api import SETTING_MISSING, Declaration, DeclarationItem, Environment, FieldProblem
from ledgerkit.providers.es.tax_forms import FORMS
from ledgerkit.providers.es.verifactu import PREFIX
from ledgerkit.providers.es.verifactu.blocks import MAY_SERVE_SEVERAL, flag
from ledgerkit.providers.es.verifactu.messages import VerifactuMsg
from ledgerkit.providers.es.verifactu.setup import ProducerFacts, Setup, Software
from ledgerkit.providers.es.verifactu.xml import clean

TITLE = "DECLARACIÓN RESPONSABLE DEL SISTEMA INFORMÁTICO DE FACTURACIÓN"
LANGUAGE = "es"

NOTICE = (
    "ESTE DOCUMENTO NO ES UNA DECLARACIÓN RESPONSABLE Y CARECE DE TODA VALIDEZ: es una muestra del entorno de pruebas "
    "local, y lo que falta de su productor es ficticio. Antes de usar el sistema con facturas reales, quien lo instala "
    "y responde de él ha de configurar sus propios datos."
)

_MONTHS = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()  # noqa: SIM905 - a list of twelve words
)
_SIGNATURES = (
    "XAdES enveloped (ETSI EN 319 132) de nivel básico, con la política de firma de la Administración General "
    "del Estado y RSA con SHA-256, sobre cada registro de facturación y cada registro de evento."
)
_NO_SIGNATURES = "Ninguno: el sistema solo funciona como VERI*FACTU, sin firma electrónica de los registros."
_DEMO = ProducerFacts(
    address="Calle de Ejemplo, 1, 28000 Madrid (España)",
    contact=None,
    web=None,
    components=None,
    place="Madrid (España)",
    signed_on=None,
)


def declaration(setup: Setup, environment: Environment, today: date) -> Declaration | Sequence[FieldProblem]:
    """Return the declaration, or the facts that it lacks. In the sandbox a marked specimen stands in."""
    facts, problems = setup.producer_facts(), lacking(setup, today)
    if problems and environment is not Environment.SANDBOX:
        return problems
    software = setup.software(environment)
    address, place = facts.address or _DEMO.address or "", facts.place or _DEMO.place or ""
    signed = f"{_in_words(facts.signed_on or today)}, en {place}"
    return Declaration(
        title=TITLE,
        version=software.version,
        language=LANGUAGE,
        items=tuple(_items(software, _components(facts, software), address, signed)),
        annex=tuple(_annex(facts)),
        notice=NOTICE if problems else None,
    )


def lacking(setup: Setup, today: date) -> Sequence[FieldProblem]:
    """List the settings without which there is no declaration, and a day of signing that has not come yet."""
    facts = setup.producer_facts()
    return [*_unnamed(setup), *_unset(facts), *_signed_too_late(facts, today)]


def _components(facts: ProducerFacts, software: Software) -> str:
    return facts.components or description(InstalledParts.here(), signs_records=not software.only_reporting)


def _unnamed(setup: Setup) -> list[FieldProblem]:
    """Problems of an unnamed producer, as in production: there no demonstration stands in."""
    producer_settings = {f"{PREFIX}PRODUCER_NAME", f"{PREFIX}PRODUCER_TAX_ID"}
    return [
        obstacle
        for obstacle in setup.missing(Environment.PRODUCTION, own_certificate=True)
        if obstacle.field in producer_settings
    ]


def _unset(facts: ProducerFacts) -> Iterator[FieldProblem]:
    required_facts = {
        "PRODUCER_ADDRESS": (VerifactuMsg.PRODUCER_ADDRESS_UNSET, facts.address),
        "DECLARATION_PLACE": (VerifactuMsg.DECLARATION_PLACE_UNSET, facts.place),
        "DECLARATION_DATE": (VerifactuMsg.DECLARATION_DATE_UNSET, facts.signed_on),
    }
    for name, (message, value) in required_facts.items():
        if not value:
            yield FieldProblem.of(PREFIX + name, SETTING_MISSING, message)


def _signed_too_late(facts: ProducerFacts, today: date) -> Iterator[FieldProblem]:
    if facts.signed_on is not None and facts.signed_on > today:
        field, message = f"{PREFIX}DECLARATION_DATE", VerifactuMsg.DECLARATION_DATE_FUTURE
        yield FieldProblem.of(field, "DECLARATION_DATE_FUTURE", message, day=facts.signed_on, today=today)


def _items(software: Software, components: str, address: str, signed: str) -> Iterator[DeclarationItem]:
    name, version = clean(software.system_name, 30), clean(software.version, 50)
    producer = clean(software.producer_name, 120)
    texts = (
        ("Nombre con el que se identifica el sistema informático", name),
        ("Código con el que su productor identifica el sistema informático", software.system_id),
        ("Versión concreta a la que se refiere esta declaración, en su forma completa", version),
        ("Componentes de los que consta el sistema, de equipo y de programa, y qué hace en lo esencial", components),
        (
            "Indicación de si el sistema está hecho para funcionar solamente como VERI*FACTU (S: sí; N: no)",
            flag(value=software.only_reporting),
        ),
        (
            "Indicación de si pueden facturar varios obligados tributarios, o un usuario por varios (S: sí; N: no)",
            flag(value=MAY_SERVE_SEVERAL),
        ),
        (
            "Tipos de firma con los que se firman los registros cuando el sistema no funciona como VERI*FACTU",
            _NO_SIGNATURES if software.only_reporting else _SIGNATURES,
        ),
        ("Nombre o razón social de quien produce el sistema", producer),
        ("Número de identificación fiscal (NIF) de quien produce el sistema", software.producer_tax_id),
        ("Dirección postal completa de quien produce el sistema", address),
        ("Declaración de cumplimiento", _statement(producer, name, version)),
        ("Fecha y lugar en que se firma esta declaración", signed),
    )
    for letter, (text, value) in zip("abcdefghijkl", texts, strict=True):
        yield DeclarationItem(key=f"1.{letter}", text=text, value=value)


def _statement(producer: str, name: str, version: str) -> str:
    return (
        f"{producer} declara, bajo su responsabilidad, que {name} en su versión {version} se ajusta a la letra j) del "
        "artículo 29.2 de la Ley 58/2003, General Tributaria; al reglamento que aprueba el Real Decreto 1007/2023, de "
        "5 de diciembre; a la Orden HAC/1177/2024, de 17 de octubre; y a las especificaciones que, para desarrollarla, "
        "publica la Agencia Estatal de Administración Tributaria en su sede electrónica."
    )


def _annex(facts: ProducerFacts) -> Iterator[DeclarationItem]:
    if facts.contact:
        yield DeclarationItem(key="2.a", text="Otras formas de contacto con quien lo produce", value=facts.contact)
    if facts.web:
        yield DeclarationItem(key="2.b", text="Direcciones de Internet", value=facts.web)


def _in_words(day: date) -> str:
    return f"{day.day} de {_MONTHS[day.month - 1]} de {day.year}"


@dataclass(frozen=True, kw_only=True)
class InstalledParts:
    """Parts that an installation may lack: the built web application, and the offline reader of receipts."""

    web_application: bool
    receipt_reader: bool

    @classmethod
    def here(cls) -> "InstalledParts":
        """Return what this installation has; loads none of it."""
        return cls(
            web_application=files("ledgerkit").joinpath("web", "dist", "index.html").is_file(),
            receipt_reader=find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None,
        )


def description(parts: InstalledParts, *, signs_records: bool) -> str:
    """Return the text of item d in Spanish, at most 4000 characters."""
    application = "una aplicación web para el navegador, " if parts.web_application else ""
    reader = (
        "El programa lee tiques y facturas recibidas en el propio servidor; quien lo instala puede configurar "
        "además un modelo de lenguaje externo, que recibe entonces esos documentos. "
        if parts.receipt_reader
        else "Si quien lo instala configura un modelo de lenguaje externo, este lee tiques y facturas recibidas. "
    )
    modes = (
        "El sistema funciona como VERI*FACTU y como NO VERI*FACTU: en este caso firma y conserva los registros y lleva "
        "el registro de eventos. "
        if signs_records
        else "El sistema funciona solo como VERI*FACTU. "
    )
    forms = ", ".join(form.code for form in FORMS)
    return (
        "Programa de servidor ledgerkit, en Python, con base de datos PostgreSQL, para ordenadores corrientes con "
        f"Linux o macOS y sin hardware propio. Se usa por {application}por una API web (HTTP, con claves de acceso), "
        "por el chat de una aplicación de mensajería o de la consola y por asistentes de inteligencia artificial (MCP, "
        "con la autorización de cada persona); todos pasan por las mismas operaciones, que dejan un registro de "
        "actividad; lo que un asistente o un mensaje propone espera a que una persona lo apruebe. Quien lo instala "
        "tiene además órdenes de consola, con copias de seguridad y su restauración, y pasa de las pruebas a la "
        "producción. "
        "Emite facturas, facturas simplificadas y rectificativas; genera y encadena sus registros de facturación, "
        f"los remite a la Agencia Tributaria e imprime su código QR. {modes}"
        "La facturación de cada obligado va aparte, con su numeración, su número de instalación y su cadena. "
        "Lleva además clientes, catálogo y existencias, la caja de un punto de venta con sus cierres, gastos, "
        "proveedores, facturas recibidas y sus pagos, tareas, informes y un resumen de inicio, los equipos con sus "
        "miembros y roles, y los ajustes de cada empresa, y busca en todo ello. "
        "Guarda ficheros adjuntos e instrucciones para asistentes, "
        "importa facturas de otros programas, envía documentos por correo electrónico o por enlaces que caducan, y "
        f"exporta los datos de cada persona. {reader}"
        f"Prepara los modelos {forms} y los libros registro, con los documentos en que se basa cada casilla, y hace "
        "sus ficheros; no los presenta."
    )
