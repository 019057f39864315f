"""Stored JSON of e-invoicing: what was stored once is read, and written again byte for byte."""

import pytest

from ledgerkit.core.einvoice.signed_mode.table import DOCUMENT_IDENTITIES
from ledgerkit.core.einvoice.table import LAST_CHECK, STATEMENT
from ledgerkit.core.einvoice.transmission.table import RUNS
from ledgerkit.money import dumps_exact, loads_exact

CHECK = (
    '{"installationNumber":"0192","firstPosition":1,"lastPosition":3,"records":3,"anomalies":1,"firstBreak":'
    '{"position":2,"kind":"link","code":"04","message":"It is linked to another record."},"ok":false,'
    '"checkedAt":"2026-11-22T10:00:00.123Z"}'
)
UNBROKEN = (
    '{"installationNumber":"0192","firstPosition":1,"lastPosition":3,"records":3,"anomalies":0,"firstBreak":null,'
    '"ok":true,"checkedAt":"2026-11-22T10:00:00.000Z"}'
)
SHOWN_STATEMENT = (
    '{"title":"Declaraci\\u00f3n responsable","version":"1.0.0","language":"es","notice":null,"items":'
    '[{"key":"1.a","text":"Nombre","value":"ledgerkit"}],"annex":[]}'
)


@pytest.mark.parametrize(
    ("codec", "stored"),
    [
        (LAST_CHECK, CHECK),
        (LAST_CHECK, UNBROKEN),
        (RUNS, "[[1,4],[7,7]]"),
        (STATEMENT, SHOWN_STATEMENT),
        (DOCUMENT_IDENTITIES, '[["A-1","2026-11-22"],["A-2","2026-11-23"]]'),
    ],
)
def test_stored_json_is_written_again_byte_for_byte(codec, stored):
    value = codec.decode(loads_exact(stored))

    assert dumps_exact(codec.encode(value)) == dumps_exact(loads_exact(stored))
    assert codec.decode(codec.encode(value)) == value
