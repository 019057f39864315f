"""Patterns of words, and the files that hold them."""

import re
import tomllib
from pathlib import Path

import pytest

from ledgerkit.core.messaging import language
from ledgerkit.core.messaging.language.patterns import INNER, NAME, Phrases, Span
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import plain

SOURCES = Path(language.__file__).parent
FILES = sorted((SOURCES / "vocabulary").glob("*.toml"))
WITH_ACCENTS = {("common", "interrogatives"), ("spelling", "accented")}

PATTERNS = [
    ("me debe", "quien me debe algo", (1, 3)),
    ("factur*", "hazme facturas", (1, 2)),
    ("factur*", "hazme una fra", None),
    ("(quien | cuanto) me debe", "dime cuanto me debe", (1, 4)),
    ("me [lo] debe", "me debe", (0, 2)),
    ("me [lo] debe", "me lo debe", (0, 3)),
    ("me [lo] debe", "me la debe", None),
    ("marca .. pagada", "marca la 7 pagada", (0, 4)),
    ("marca .. pagada", "marca la factura 7 pagada", None),
    ("marca ... pagada", "marca la factura 7 ya pagada", (0, 6)),
    ("marca ... pagada", "marca . la pagada", None),
    ("la #", "la 7", (0, 2)),
    ("la #", "la siete", None),
    ("de @", "la de " + NAME, (1, 3)),
    ("de @", "la de @", None),
    ("a !(b)", "a c", (0, 1)),
    ("a !(b)", "a b", None),
    ("!after(el | un) pago", "acme pago", (1, 2)),
    ("!after(el | un) pago", "el pago", None),
    ("<other> ya", "uno ya", (0, 2)),
    ("a\na b", "a b", (0, 2)),
]


@pytest.mark.parametrize(("pattern", "line", "place"), PATTERNS)
def test_a_pattern_stands_where_its_words_do(pattern, line, place):
    lists = {"list": pattern.splitlines(), "other": ["uno", "dos"]}
    spans = list(Phrases("list", lists.__getitem__).spans(line.split(" ")))

    assert spans == ([] if place is None else [Span(*place)])


def test_the_words_of_a_name_are_one_word():
    phrases = Phrases("list", {"list": ["@ ha pagado"]}.__getitem__)

    assert list(phrases.spans(["ya", NAME, INNER, INNER, "ha", "pagado"])) == [Span(1, 6)]


def entries(path: Path) -> dict[str, object]:
    return tomllib.loads(path.read_text())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_list_is_used(path):
    code = "\n".join(file.read_text() for file in SOURCES.rglob("*.py"))
    lists = "\n".join(file.read_text() for file in FILES)

    unused = [
        name
        for name in entries(path)
        if f'"{name}"' not in code and f"<{name}>" not in lists and not re.search(r"_(es|en)$", name)
    ]

    assert unused == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_word_is_written_as_the_grammar_reads_it(path):
    """In lower case, without accents: otherwise it is never found."""
    texts = {
        name: "\n".join(map(str, entry)) if isinstance(entry, dict) else str(entry)
        for name, entry in entries(path).items()
    }
    signs = str.maketrans("", "", "º°ª\u00d7•¿¡\u00b4")

    assert [
        name
        for name, text in texts.items()
        if (path.stem, name) not in WITH_ACCENTS and plain(text.translate(signs)) != text.translate(signs)
    ] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_phrase_can_be_read(path):
    vocabulary = Vocabulary(path.stem)
    lists = [name for name, entry in entries(path).items() if isinstance(entry, str) and "\n" in entry and "(" in entry]

    for name in lists:
        assert vocabulary.phrases(name).end_at(["xyzzy"], 0) is None, name
