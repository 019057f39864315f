import ssl
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
import sandbox_messages as sent
from lxml import etree

from ledgerkit.providers.es.verifactu.sandbox import sandbox

SHARED = Path(__file__).parents[4].parent / "shared" / "spain"


@dataclass(frozen=True)
class Line:
    number: str
    operation: dict[str, str]
    state: str
    code: int | None
    text: str | None
    duplicate: dict[str, str]


class Answer:
    """What came back, read with nothing of ours."""

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


@pytest.fixture(scope="session")
def schema():
    """The official schema of answers; without the reference folder its tests are skipped, with this reason."""
    path = SHARED / "verifactu-schemas" / "RespuestaSuministro.xsd"
    if not path.exists():
        return None
    return etree.XMLSchema(etree.parse(path, etree.XMLParser(no_network=True)))


@pytest.fixture(scope="session")
def samples():
    folder = SHARED / "verifactu-examples"
    if not folder.exists():
        pytest.skip("official samples absent: ../shared/spain/verifactu-examples")
    return folder


@pytest.fixture
async def authority(tmp_path):
    authority = sandbox(tmp_path / "sandbox")
    await authority.start()
    yield authority
    await authority.stop()


@pytest.fixture
async def client(authority):
    async with httpx2.AsyncClient(verify=tls(authority.access), trust_env=False, timeout=20) as client:
        yield client


@pytest.fixture
def post(authority, client, schema):
    """Sends a message; every answer that is not a fault is held against the official schema where it is there."""

    async def post(content):
        headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
        answer = Answer(await client.post(authority.access.url, content=content, headers=headers))
        if schema is not None and answer.fault is None:
            body = answer.root.find(f".//{{{sent.ANSWER}}}RespuestaRegFactuSistemaFacturacion")
            schema.assertValid(body)
        return answer

    return post


@pytest.fixture(scope="session")
async def shared_authority(tmp_path_factory):
    """One sandbox for the tests that need no state of their own."""
    authority = sandbox(tmp_path_factory.mktemp("shared-sandbox"))
    await authority.start()
    async with httpx2.AsyncClient(verify=tls(authority.access), trust_env=False, timeout=20) as client:
        yield authority, client
    await authority.stop()


@pytest.fixture
def judge(shared_authority, schema):
    """Sends one record in a message of its own, and says the code of its result (None: accepted)."""
    authority, client = shared_authority

    async def judge(record, **header):
        answer = Answer(await client.post(authority.access.url, content=sent.message(record, **header)))
        assert answer.fault is None, answer.fault
        if schema is not None:
            schema.assertValid(answer.root.find(f".//{{{sent.ANSWER}}}RespuestaRegFactuSistemaFacturacion"))
        return answer.codes[0]

    return judge


@pytest.fixture
def send(post):
    """Sends records in one message."""

    async def send(*records, **header):
        return await post(sent.message(*records, **header))

    return send
