import httpx2
import pytest
import sandbox_messages as sent
from lxml import etree
from sandbox_client import Answer, tls

from ledgerkit.providers.es.sandbox import sandbox
from support.ports import free_port
from support.sandboxes import certified


@pytest.fixture(scope="session")
def schema(reference_material):
    """The official schema of answers, None without the reference folder (one test then says so by its skip)."""
    if reference_material is None:
        return None
    path = reference_material / "spain" / "verifactu-schemas" / "RespuestaSuministro.xsd"
    return etree.XMLSchema(etree.parse(path, etree.XMLParser(no_network=True)))


@pytest.fixture(scope="session")
def samples(shared):
    return shared / "spain" / "verifactu-examples"


@pytest.fixture
async def authority(tmp_path):
    authority = sandbox(certified(tmp_path / "sandbox"), port=free_port())
    await authority.start()
    yield authority
    await authority.stop()


@pytest.fixture
async def client(authority):
    async with httpx2.AsyncClient(verify=tls(authority.access), trust_env=False, timeout=60) as client:
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
    async with httpx2.AsyncClient(verify=tls(authority.access), trust_env=False, timeout=60) as client:
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
