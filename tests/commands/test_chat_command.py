"""`ledgerkit chat`: a stranger holds the whole conversation in a terminal, without an account anywhere."""

import asyncio
import os
import sys
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src" / "ledgerkit"

CONVERSATION = """\
factura Acme 300 consultoría
2
1
quién me debe
recuérdame llamar al gestor mañana
1
tareas
asdfgh
"""


async def talked(directory: Path, *arguments: str, typed: str, language: str = "es_ES.UTF-8") -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LEDGERKIT_")}
    environment |= {"LEDGERKIT_DATA_DIR": str(directory / "data"), "LANG": language, "LC_ALL": language}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ledgerkit.cli", "chat", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        cwd=directory,
    )
    out, err = await process.communicate(typed.encode())
    assert process.returncode == 0, err.decode()
    return out.decode()


async def test_stranger_tries_everything(tmp_path):
    said = await talked(tmp_path, typed=CONVERSATION)
    assert "Este chat queda vinculado a Marta Ruiz Lagos" in said
    assert "Total: 318,00 EUR" in said
    assert "✓ Aceptada por la autoridad fiscal" in said
    assert "Te deben 1.908,00 EUR, 3 facturas" in said
    assert "Llamar al gestor" in said
    assert "No te he entendido." in said
    (pdf,) = (tmp_path / "data" / "chat").glob("F*.pdf")
    assert pdf.read_bytes().startswith(b"%PDF")

    again = await talked(tmp_path, typed="quién me debe\n/unlink\n1\n")
    assert "Te deben 1.908,00 EUR, 3 facturas" in again
    assert "queda vinculado" not in again  # the terminal is linked already
    assert "ya no está vinculado" in again
    anew = await talked(tmp_path, "--demo", typed="who owes me\n", language="en_GB.UTF-8")
    assert "They owe you" in anew
    assert "1,590.00" in anew


def test_second_messenger_is_small():
    """The terminal is a messenger of its own: the port costs no more than this."""
    files = [SOURCES / "core/messaging/messengers/console.py", SOURCES / "commands/chatting.py"]
    assert sum(len(file.read_text().splitlines()) for file in files) <= 400
