"""The cases for readers can fail, each for its own mistake."""

from dataclasses import replace
from decimal import Decimal
from itertools import count

import pytest

from ledgerkit.providers.api import DocumentReading, ReadField
from ledgerkit.providers.conformance import ProviderConformance
from ledgerkit.providers.es import country
from support.receipts.lines import lines_of

TICKET = "BAR LA ESQUINA S.L.\nNIF B28746865\n18/11/2026\nTOTAL    26,50\nENTREGADO  30,00\nCAMBIO  3,50\n"


class Faulty:
    """Spain's reader with a mistake in its total."""

    def read(self, lines, today):
        return self.spoilt(country.readings.read(lines, today), lines)

    def checked(self, reading, today):
        return country.readings.checked(reading, today)

    def spoilt(self, reading: DocumentReading, lines) -> DocumentReading:
        return reading


class Restless(Faulty):
    _serial = count()

    def spoilt(self, reading, lines):
        return replace(reading, document_number=ReadField(value=str(next(self._serial)), confidence=0.5))


class Obedient(Faulty):
    def spoilt(self, reading, lines):
        told = any("zero" in line.text or "free" in line.text for line in lines)
        return replace(reading, total=ReadField()) if told else reading


class Inventive(Faulty):
    def spoilt(self, reading, lines):
        return replace(reading, subtotal=ReadField(value=Decimal("21.90"), confidence=0.9))


class Boastful(Faulty):
    def spoilt(self, reading, lines):
        return replace(reading, iban=ReadField(value=None, confidence=0.9))


class Generous(Faulty):
    def checked(self, reading, today):
        return replace(reading, total=replace(reading.total, confidence=1.0))


class Suite(ProviderConformance):
    __test__ = False
    provider = country
    module = "ledgerkit.providers.es"
    reading_documents = (lines_of(TICKET),)


CASES = {
    Restless: "test_documents_are_understood_whatever_the_order_of_their_lines",
    Obedient: "test_hostile_text_changes_nothing_but_texts",
    Inventive: "test_every_figure_stands_in_the_text",
    Boastful: "test_a_confidence_is_given_to_values_only",
    Generous: "test_a_check_adds_nothing_and_is_done_once",
}


@pytest.mark.parametrize("faulty", CASES)
def test_a_faulty_reader_fails_its_case(faulty):
    suite = type("Faulted", (Suite,), {"provider": replace(country, readings=faulty())})()

    with pytest.raises(AssertionError):
        getattr(suite, CASES[faulty])()


@pytest.mark.parametrize("case", CASES.values())
def test_a_right_reader_passes(case):
    getattr(Suite(), case)()
