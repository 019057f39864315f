"""The sandbox's register: records held, successions admitted, and its memory across a restart."""

import httpx2
import pytest
from sandbox_client import Answer, tls
from sandbox_messages import FIRST, ISSUER, alta, anulacion, chain_of, invoice, line, link, message, system

from ledgerkit.problems import Unavailable
from ledgerkit.providers.es.sandbox import sandbox

STATES = ["nothing", "alta", "anulación"]
ADMISSIBLE = {
    "alta": ({}, [None, 3000, 3000]),
    "alta S": ({"Subsanacion": "S"}, [3002, None, None]),
    "alta S after a rejection": ({"Subsanacion": "S", "RechazoPrevio": "S"}, [3002, None, None]),
    "alta S of what was never accepted": ({"Subsanacion": "S", "RechazoPrevio": "X"}, [None, 3000, 3000]),
    "anulación": (None, [3002, None, None]),
    "anulación after a rejection": ({"RechazoPrevio": "S"}, [3002, None, None]),
    "anulación without previous": ({"SinRegistroPrevio": "S"}, [None, 3000, 3000]),
}
CASES = [
    pytest.param(name, state, changes or {}, codes[place], id=f"{name} / {state}")
    for name, (changes, codes) in ADMISSIBLE.items()
    for place, state in enumerate(STATES)
]


@pytest.mark.parametrize(("name", "state", "changes", "code"), CASES)
async def test_records_admitted_after_each_state_of_an_invoice(send, name, state, changes, code):
    before = []
    if state != "nothing":
        before.append(alta())
    if state == "anulación":
        before.append(anulacion(previous=before[-1]))
    for record in before:
        assert (await send(record)).codes == [None]
    make = alta if name.startswith("alta") else anulacion

    answer = await send(make(previous=before[-1] if before else None, **changes))

    assert answer.codes == [code]
    assert bool(answer.lines[0].duplicate) == (code == 3000)


async def test_a_duplicate_says_how_the_invoice_is_held(send):
    record = alta()
    remarked = alta("F2", previous=record, ImporteTotal="999.00")
    await send(record, remarked)
    await send(anulacion(previous=remarked))

    answer = await send(record, remarked)

    annulled, flagged = (each.duplicate for each in answer.lines)
    assert annulled["EstadoRegistroDuplicado"] == "Anulada"
    assert flagged["EstadoRegistroDuplicado"] == "AceptadaConErrores"
    assert flagged["CodigoErrorRegistro"] == "2005"
    assert flagged["DescripcionErrorRegistro"]
    assert annulled["IdPeticionRegistroDuplicado"].isdigit()


async def test_the_same_invoice_twice_in_one_message_is_a_duplicate(send):
    answer = await send(alta(), alta())

    assert answer.codes == [None, 3000]


async def test_a_refused_record_can_be_sent_again_put_right(authority, send):
    refused = alta(lines=[line(TipoImpositivo="16")])
    await send(refused)

    answer = await send(alta(previous=refused, Subsanacion="S", RechazoPrevio="X"))

    assert answer.codes == [None]
    assert authority.chain_breaks(ISSUER) == ()


async def test_an_amendment_replaces_what_is_held_and_revives_what_was_annulled(authority, send):
    record = alta()
    annulment = anulacion(previous=record)
    await send(record, annulment)

    await send(alta(previous=annulment, Subsanacion="S", ImporteTotal="120.00"))

    (held,) = authority.records(ISSUER)
    assert (held.state, held.total) == ("Correcta", "120.00")


async def test_a_first_record_although_there_are_records_is_remarked(authority, send):
    await send(alta("F1"))

    answer = await send(alta("F2"))

    assert answer.codes == [2007]
    assert [each.chain_break for each in authority.chain_breaks(ISSUER)] == ["first record, but the chain has records"]


@pytest.mark.parametrize(
    "other", [{"NumeroInstalacion": "2"}, {"IdSistemaInformatico": "L2"}, {"NIF": "89890004R"}], ids=str
)
async def test_every_installation_system_and_producer_has_a_chain_of_its_own(send, other):
    await send(alta("F1"))

    assert (await send(alta("F2", SistemaInformatico=system(**other)))).codes == [None]


async def test_another_version_of_the_software_continues_the_chain(send):
    await send(alta("F1"))

    assert (await send(alta("F2", SistemaInformatico=system(Version="9")))).codes == [2007]


async def test_an_unbroken_chain_shows_no_break(authority, send):
    records = chain_of(5)

    await send(*records[:3])
    await send(*records[3:])

    assert authority.chain_breaks(ISSUER) == ()


BREAKS = {
    "the previous fingerprint is unknown": lambda first: {
        "RegistroAnterior": invoice("F2026-0001") | {"Huella": "A" * 64}
    },
    "the previous fingerprint stands for another invoice": lambda first: {
        "RegistroAnterior": invoice("F2026-0009") | {"Huella": first["Huella"]}
    },
    "the previous record already has another successor": link,
}


@pytest.mark.parametrize(("reason", "broken_link"), BREAKS.items(), ids=BREAKS)
async def test_a_broken_link_is_accepted_but_shown(authority, send, reason, broken_link):
    first, second = chain_of(2)
    await send(first, second)

    answer = await send(alta("F2026-0003", Encadenamiento=broken_link(first)))

    assert answer.states == ["Correcto"]
    assert [(each.invoice[1], each.chain_break) for each in authority.chain_breaks(ISSUER)] == [("F2026-0003", reason)]


async def test_sending_a_stored_record_again_breaks_no_chain(authority, send):
    records = chain_of(3)
    await send(*records)

    await send(*records)

    assert authority.chain_breaks(ISSUER) == ()


async def restarted(directory, *records):
    authority = sandbox(directory)
    await authority.start()
    try:
        async with httpx2.AsyncClient(verify=tls(authority.access), trust_env=False, timeout=60) as client:
            answer = Answer(await client.post(authority.access.url, content=message(*records)))
        return answer, authority.records(ISSUER), authority.chain_breaks(ISSUER)
    finally:
        await authority.stop()


async def test_a_restart_remembers_invoices_chains_and_breaks(tmp_path):
    first, second = chain_of(2)
    await restarted(tmp_path, first, alta("FORK"))

    answer, held, breaks = await restarted(tmp_path, first, second, alta("F9", Encadenamiento=FIRST))

    assert answer.codes == [3000, None, 2007]
    assert answer.lines[0].duplicate["EstadoRegistroDuplicado"] == "Correcta"
    assert [entry.invoice[1] for entry in held] == ["F2026-0001", "FORK", "F2026-0002", "F9"]
    assert [entry.invoice[1] for entry in breaks] == ["FORK", "F9"]


async def test_a_torn_last_line_is_cut_and_the_rest_kept(tmp_path):
    first, second = chain_of(2)
    await restarted(tmp_path, first)
    path = tmp_path / "register.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])

    answer, held, _ = await restarted(tmp_path, first, second)

    assert answer.codes == [3000, None]
    assert path.read_bytes().startswith(whole)
    assert path.read_bytes().count(b"\n") == len(held) == 2


async def test_an_unreadable_line_is_passed_over(tmp_path):
    first, second = chain_of(2)
    await restarted(tmp_path, first)
    path = tmp_path / "register.jsonl"
    path.write_bytes(b'{"nonsense":1}\n' + path.read_bytes())

    answer, _, _ = await restarted(tmp_path, first, second)

    assert answer.codes == [3000, None]


async def test_two_sandboxes_cannot_share_a_directory(authority, tmp_path):
    second = sandbox(tmp_path / "sandbox")

    with pytest.raises(Unavailable, match="already serves"):
        await second.start()
