"""README and guides state the dates of the law as `obligations.py` has them, and no others."""

import re
from datetime import date
from pathlib import Path

import pytest

from ledgerkit.providers.es.verifactu.obligations import ANNOUNCED, COMPANIES, OTHERS, PRODUCERS, READ_ON

ROOT = Path(__file__).parents[4]
MONTHS = {
    "en": "January February March April May June July August September October November December".split(),  # noqa: SIM905 - a list of twelve words
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),  # noqa: SIM905 - the same
}
JOIN = {"en": " ", "es": " de "}


def day_in(language: str, day: date) -> str:
    return JOIN[language].join((str(day.day), MONTHS[language][day.month - 1], str(day.year)))


def month_in(language: str, month: str) -> str:
    year, number = month.split("-")
    return JOIN[language].join((MONTHS[language][int(number) - 1], year))


def law(source: str) -> str:
    """`Real Decreto-ley 15/2025`, whatever is said of it besides."""
    return re.match(r"Real Decreto(-ley)? \d+/\d{4}", source).group()


def read_in(language: str) -> str:
    return month_in(language, f"{READ_ON:%Y-%m}")


PASSAGES = {
    "README.md": ("README.md", r"^\*\*Why\.\*\*.*?\n\n", "en"),
    "einvoice.md": ("docs/einvoice.md", r"^## Since when it is the law\n.*?\n## ", "en"),
    "verifactu.md": ("docs/es/verifactu.md", r"^## Qué es y desde cuándo\n.*?\n## ", "es"),
}
"""Passages that say since when it is the law, by document: its file, the passage, and its language."""


def passage(name: str) -> tuple[str, str]:
    """The passage, its blank space being one space, and its language."""
    file, pattern, language = PASSAGES[name]
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return " ".join(found.group().split()), language


@pytest.mark.parametrize("name", list(PASSAGES))
def test_a_document_names_the_days_in_force_their_law_and_the_announcement(name):
    text, language = passage(name)
    days = [COMPANIES.since, OTHERS.since] if name == "README.md" else [PRODUCERS.since, COMPANIES.since, OTHERS.since]

    assert [day for day in days if day_in(language, day) not in text] == []
    assert [one for one in (law(COMPANIES.source), law(OTHERS.source)) if one not in text] == []
    announced = day_in(language, ANNOUNCED.announced_on), month_in(language, ANNOUNCED.since)
    assert [one for one in announced if one not in text] == []
    assert {"en": "not law yet", "es": "todavía no es ley"}[language] in text
    assert read_in(language) in text


@pytest.mark.parametrize("name", list(PASSAGES))
def test_a_document_names_no_other_day_of_these_years(name):
    text, language = passage(name)
    known = {day_in(language, one) for one in (PRODUCERS.since, COMPANIES.since, OTHERS.since, ANNOUNCED.announced_on)}
    known |= {month_in(language, ANNOUNCED.since), read_in(language)}

    stated = re.findall(rf"(?:\d+{JOIN[language]})?(?:{'|'.join(MONTHS[language])}){JOIN[language]}\d{{4}}", text)

    assert stated
    assert sorted(set(stated) - known) == []


def test_the_sentence_of_the_announcement_says_what_its_data_say():
    assert day_in("es", ANNOUNCED.announced_on) in ANNOUNCED.text
    assert day_in("es", ANNOUNCED.announced_on) in ANNOUNCED.source
    assert month_in("es", ANNOUNCED.since) in ANNOUNCED.text
    assert ANNOUNCED.enacted is False
    assert ANNOUNCED.announced_on <= READ_ON
