"""The declaration of responsibility: what the law wants to read of this version, out of the configuration.

Order and content of the items: Orden HAC/1177/2024, art. 15. The values that records carry too are made here as there.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from ledgerkit.providers.api import Declaration, DeclarationItem, Environment, FieldProblem
from ledgerkit.providers.es.verifactu.blocks import MAY_SERVE_SEVERAL, flag
from ledgerkit.providers.es.verifactu.setup import Papers, Setup, Software
from ledgerkit.providers.es.verifactu.wording import unset
from ledgerkit.providers.es.verifactu.xml import clean

TITLE = "DECLARACIÓN RESPONSABLE DEL SISTEMA INFORMÁTICO DE FACTURACIÓN"
LANGUAGE = "es"

PREFIX = "LEDGERKIT_VERIFACTU_"

NOTICE = (
    "ESTE DOCUMENTO NO ES UNA DECLARACIÓN RESPONSABLE Y CARECE DE TODA VALIDEZ: es una muestra del entorno de pruebas "
    "local, con un productor ficticio. Antes de usar el sistema con facturas reales, quien lo instala y responde de él "
    "ha de configurar sus propios datos."
)

_MONTHS = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()  # noqa: SIM905 - a list of twelve words
)
_SIGNATURES = (
    "XAdES enveloped (ETSI EN 319 132) de nivel básico, con la política de firma de la Administración General "
    "del Estado y RSA con SHA-256, sobre cada registro de facturación y cada registro de evento."
)
_NO_SIGNATURES = "Ninguno: el sistema solo funciona como VERI*FACTU, sin firma electrónica de los registros."
_DEMO = Papers(
    address="Calle de Ejemplo, 1, 28000 Madrid (España)",
    contact=None,
    web=None,
    components="",
    place="Madrid (España)",
    signed_on=None,
)


def declaration(setup: Setup, environment: Environment, today: date) -> Declaration | Sequence[FieldProblem]:
    """The declaration, or what is missing for it. In the sandbox a specimen stands in, which says what it is."""
    papers = setup.papers()
    lacking = [*_unnamed(setup), *_unset(papers)]
    if lacking and environment is not Environment.SANDBOX:
        return lacking
    software = setup.software(environment)
    address, place = papers.address or _DEMO.address or "", papers.place or _DEMO.place or ""
    signed = f"{_in_words(papers.signed_on or today)}, en {place}"
    return Declaration(
        title=TITLE,
        version=software.version,
        language=LANGUAGE,
        items=tuple(_items(software, papers.components, address, signed)),
        annex=tuple(_annex(papers)),
        notice=NOTICE if lacking else None,
    )


def _unnamed(setup: Setup) -> list[FieldProblem]:
    """The producer: asked for as in production, where no demonstration stands in."""
    wanted = {f"{PREFIX}PRODUCER_NAME", f"{PREFIX}PRODUCER_TAX_ID"}
    return [one for one in setup.missing(Environment.PRODUCTION, own_certificate=True) if one.field in wanted]


def _unset(papers: Papers) -> Iterator[FieldProblem]:
    wanted = {
        "PRODUCER_ADDRESS": (
            "the producer's postal address is not set",
            "no se ha indicado la dirección postal del productor",
            papers.address,
        ),
        "DECLARATION_PLACE": (
            "the town and country of signing are not set",
            "no se han indicado la localidad y el país de la firma",
            papers.place,
        ),
        "DECLARATION_DATE": ("the day of signing is not set", "no se ha indicado el día de la firma", papers.signed_on),
    }
    for name, (english, spanish, value) in wanted.items():
        if not value:
            yield unset(PREFIX + name, english, spanish)


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


def _annex(papers: Papers) -> Iterator[DeclarationItem]:
    if papers.contact:
        yield DeclarationItem(key="2.a", text="Otras formas de contacto con quien lo produce", value=papers.contact)
    if papers.web:
        yield DeclarationItem(key="2.b", text="Direcciones de Internet", value=papers.web)


def _in_words(day: date) -> str:
    return f"{day.day} de {_MONTHS[day.month - 1]} de {day.year}"
