"""Voice notes: understood by any server with /audio/transcriptions, and politely declined without one."""

from support.modelserver import fails


async def _spoken(talk, words: str, **how):
    before = len(talk.chat.shown)
    talk.chat.voice(words.encode(), **how)
    await talk.settled()
    return talk.chat.shown[before:]


async def test_voice_note_is_a_sentence(talk, model):
    model.words = "Factura a Acme trescientos euros de consultoría."
    heard, card = await _spoken(talk, "sound")
    assert heard.text == "He entendido: «Factura a Acme trescientos euros de consultoría.»"
    assert "Base imponible: 300,00 EUR" in card.text
    assert await talk.api.get("/api/invoices") == []
    assert b"sound" in model.heard[-1]
    assert b"hearing" in model.heard[-1]


async def test_silence_and_long_notes(talk, model):
    model.words = ""
    (answer,) = await _spoken(talk, "sound")
    assert answer.text.startswith("No he podido entender la nota de voz")
    (answer,) = await _spoken(talk, "sound", seconds=600)
    assert answer.text == "Escucho notas de voz de hasta 120 segundos."


async def test_forwarded_voice_is_not_followed(talk, model):
    model.words = "factura a Acme 300"
    (answer,) = await _spoken(talk, "sound", is_forwarded=True)
    assert answer.text.startswith("No sigo mensajes reenviados")


async def test_server_that_fails_is_said(talk, model):
    model.answers_speech = fails(500)
    (answer,) = await _spoken(talk, "sound")
    assert answer.text.startswith("No he podido entender la nota de voz")
    model.answers_speech = None
