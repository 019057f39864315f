"""The guides for people name buttons and screens as the screens do."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDES = sorted((ROOT / "docs" / "es").glob("*.md"))
ON_THE_SCREEN = {"primeros-pasos.md", "conectar-un-asistente.md", "telegram.md"}
"""Guides that lead through the screens: whatever is bold there is a name on them."""
CATALOGUES = [
    *(ROOT / "web" / "src").glob("**/texts/es.ts"),
    *(ROOT / "web" / "src").glob("**/texts/*.es.ts"),
    *(ROOT / "web" / "src").glob("*/texts.ts"),
]
PAGES = ROOT / "src" / "ledgerkit" / "texts" / "es.po"
"""Texts of the pages that the server draws itself, as those of consent, and of the bot in a chat."""
NOT_ON_THE_SCREEN = {
    "Intro": "a key",
    "Alt": "a key",
    "A": "a key",
    "J": "a key",
    "K": "a key",
    "Ctrl K": "keys",
    "un": "stressed: one team only",
    "en qué libros": "stressed: what the page of consent asks",
    "qué podrá hacer": "stressed: what the page of consent asks",
}


def names() -> set[str]:
    """Every text of the screens, up to its first value and without the dots that announce a dialog."""
    spanish = [file.read_text().partition("export const en")[0] for file in CATALOGUES]
    texts = [text for source in spanish for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', source)]
    texts += re.findall(r'^msgstr "(.*)"$', PAGES.read_text(), re.MULTILINE)
    return {plain(text.partition("{")[0]) for text in texts} - {""}


def plain(name: str) -> str:
    return name.strip(" ?¿").replace("\\*", "*").removesuffix("...").removesuffix("…").strip()


def named_in(guide: Path) -> set[str]:
    """The names of a guide: each step of a bold way, and what stands bold after the word for a button."""
    prose = re.sub(r"```.*?```", "", guide.read_text(), flags=re.DOTALL)
    bold = re.findall(r"(\w*)\W?\*\*([^*\s](?:\\\*|[^*])*)\*\*", prose)
    chosen = [
        text
        for before, text in bold
        if guide.name in ON_THE_SCREEN or "→" in text or before.lower() in {"pulsa", "botón", "marca", "campo", "tiene"}
    ]
    steps = {step for text in chosen for step in text.replace("\n", " ").split("→")}
    return {plain(step) for step in steps}


def test_the_catalogues_are_found():
    assert {"Registrar cobro", "Emitir", "Permitir"} <= names()


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_a_guide_names_what_is_on_the_screen(guide):
    assert sorted(named_in(guide) - names() - set(NOT_ON_THE_SCREEN)) == []


def test_the_guides_of_the_screen_name_many_things():
    assert all(len(named_in(ROOT / "docs" / "es" / name)) > 5 for name in ON_THE_SCREEN)
    assert len(named_in(ROOT / "docs" / "es" / "verifactu.md")) > 20


def test_no_exception_outlives_its_guide():
    named = set.union(*(named_in(guide) for guide in GUIDES))
    assert set(NOT_ON_THE_SCREEN) - named == set()


def test_no_guide_promises_that_documents_never_leave_the_server():
    text = " ".join((ROOT / "docs" / "es" / "primeros-pasos.md").read_text().split())
    assert re.search(r"se lee en este servidor, salvo que .* haya configurado un modelo", text)
