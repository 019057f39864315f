"""A client of the sandbox that uses nothing of ours: TLS, and answers read with lxml alone."""

import ssl
from dataclasses import dataclass

import sandbox_messages as sent
from lxml import etree


@dataclass(frozen=True)
class Line:
    number: str
    operation: dict[str, str]
    state: str
    code: int | None
    text: str | None
    duplicate: dict[str, str]


class Answer:
    """Answer of the sandbox, read with nothing of ours."""

    def __init__(self, response):
        self.response = response
        self.status = response.status_code
        self.root = etree.fromstring(response.content)

    def text(self, name):
        return self.root.findtext(f".//{{{sent.ANSWER}}}{name}")

    @property
    def fault(self):
        code = self.root.findtext(".//faultcode")
        return (code, self.root.findtext(".//faultstring")) if code else None

    @property
    def lines(self):
        return [_line(each) for each in self.root.iterfind(f".//{{{sent.ANSWER}}}RespuestaLinea")]

    @property
    def codes(self):
        return [each.code for each in self.lines]

    @property
    def states(self):
        return [each.state for each in self.lines]


def _line(element):
    code = element.findtext(f"{{{sent.ANSWER}}}CodigoErrorRegistro")
    return Line(
        number=element.findtext(f".//{{{sent.SF}}}NumSerieFactura"),
        operation=_children(element, "Operacion"),
        state=element.findtext(f"{{{sent.ANSWER}}}EstadoRegistro"),
        code=None if code is None else int(code),
        text=element.findtext(f"{{{sent.ANSWER}}}DescripcionErrorRegistro"),
        duplicate=_children(element, "RegistroDuplicado"),
    )


def _children(element, name):
    found = element.find(f"{{{sent.ANSWER}}}{name}")
    return {} if found is None else {etree.QName(each).localname: each.text for each in found}


def tls(access):
    context = ssl.create_default_context(cafile=access.ca_file)
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    context.load_cert_chain(access.certificate_file)
    return context
