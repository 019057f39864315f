"""The XML of VERI*FACTU, written by hand: what is hashed, stored and sent must be the same characters for ever."""

import re
from collections.abc import Sequence

_BASE = "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
INFORMATION = f"{_BASE}SuministroInformacion.xsd"
SUBMISSION = f"{_BASE}SuministroLR.xsd"
ANSWER = f"{_BASE}RespuestaSuministro.xsd"
QUESTION = f"{_BASE}ConsultaLR.xsd"
QUESTION_ANSWER = f"{_BASE}RespuestaConsultaLR.xsd"
EVENTS = f"{_BASE}EventosSIF.xsd"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"

NO_DEFAULT = b' xmlns=""'
"""Attributes of a signed document's root, so that no default namespace around it can become part of it."""

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 (section 2.2) does not allow, escaped or not."""


def clean(value: str, limit: int) -> str:
    """Return `value` as the authority will read it: no forbidden characters, single spaces, cut at `limit`."""
    return " ".join(_FORBIDDEN.sub("", value).split())[:limit].rstrip()


def escaped(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def leaf(name: str, value: str) -> str:
    """An element with text; markup in `value` is escaped."""
    return f"<sum1:{name}>{escaped(value)}</sum1:{name}>"


def group(name: str, *parts: str) -> str:
    """Element with elements; empty parts leave no trace."""
    return f"<sum1:{name}>{''.join(parts)}</sum1:{name}>"


def standalone(name: str, *parts: str) -> bytes:
    """An element that declares its own namespace, so that its bytes mean the same wherever they are embedded."""
    return f'<sum1:{name} xmlns:sum1="{INFORMATION}">{"".join(parts)}</sum1:{name}>'.encode()


def envelope(header: str, contents: Sequence[bytes]) -> bytes:
    """A SOAP 1.1 message; each of `contents` is embedded byte for byte."""
    opening = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<soapenv:Envelope xmlns:soapenv="{SOAP}" xmlns:sum="{SUBMISSION}" xmlns:sum1="{INFORMATION}">'
        "<soapenv:Header/><soapenv:Body><sum:RegFactuSistemaFacturacion>"
        f"<sum:Cabecera>{header}</sum:Cabecera>"
    )
    records = b"".join(b"<sum:RegistroFactura>" + content + b"</sum:RegistroFactura>" for content in contents)
    return opening.encode() + records + b"</sum:RegFactuSistemaFacturacion></soapenv:Body></soapenv:Envelope>"


def question(header: str, filter_block: str) -> bytes:
    """SOAP 1.1 message that asks for holdings: the contents of its Cabecera and FiltroConsulta."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<soapenv:Envelope xmlns:soapenv="{SOAP}" xmlns:con="{QUESTION}" xmlns:sum1="{INFORMATION}">'
        "<soapenv:Header/><soapenv:Body><con:ConsultaFactuSistemaFacturacion>"
        f"<con:Cabecera>{header}</con:Cabecera><con:FiltroConsulta>{filter_block}</con:FiltroConsulta>"
        "</con:ConsultaFactuSistemaFacturacion></soapenv:Body></soapenv:Envelope>"
    ).encode()


def quiet_envelope(header: str, contents: Sequence[bytes]) -> bytes:
    """Write signed records into a message; nothing around them declares a prefix, so that signatures hold.

    Canonical XML takes along whatever is declared around an element; of default namespaces a signed record has cut
    itself off (`NO_DEFAULT`), of prefixes it could not.
    """
    opening = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<Envelope xmlns="{SOAP}"><Header/><Body><RegFactuSistemaFacturacion xmlns="{SUBMISSION}">'
        f'<Cabecera xmlns:sum1="{INFORMATION}">{header}</Cabecera>'
    )
    records = b"".join(b"<RegistroFactura>" + content + b"</RegistroFactura>" for content in contents)
    return opening.encode() + records + b"</RegFactuSistemaFacturacion></Body></Envelope>"
