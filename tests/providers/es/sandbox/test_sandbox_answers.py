import re

import pytest
import sandbox_messages as sent
from sandbox_messages import alta, anulacion, chain_of


async def test_a_right_record_is_stored_and_gets_a_receipt(authority, send):
    answer = await send(alta())

    assert answer.status == 200
    assert answer.text("EstadoEnvio") == "Correcto"
    assert answer.states == ["Correcto"]
    assert re.fullmatch("SBX-[A-Z2-9]{16}", answer.text("CSV"))
    assert [entry.state for entry in authority.records(sent.ISSUER)] == ["Correcta"]
