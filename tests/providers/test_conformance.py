"""The conformance suite must be able to fail."""

import socket
from dataclasses import replace
from itertools import count

import pytest

from ledgerkit.providers.api import (
    CorrectedDocuments,
    CorrectionReason,
    DocumentKind,
    Party,
    TaxExemption,
    TaxFacts,
    TaxIdCheck,
)
from ledgerkit.providers.conformance import ProviderConformance
from ledgerkit.providers.es import country
from ledgerkit.providers.es.tax import FACTS, SpanishTax
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel


class Restless(VerifactuChannel):
    """Channel whose records depend on when they are made."""

    _serial = count()

    def seal(self, *arguments):
        return replace(super().seal(*arguments), fingerprint=str(next(self._serial)))


class Forgetful(VerifactuChannel):
    """Channel whose records know nothing of the one before."""

    def seal(self, document, place, earlier_records=()):
        return super().seal(document, replace(place, previous=None), earlier_records)


class Talkative(VerifactuChannel):
    """Channel that opens a socket while sealing."""

    def seal(self, *arguments):
        socket.socket(socket.AF_UNIX).close()
        return super().seal(*arguments)


class Renaming(VerifactuChannel):
    """Channel whose corrections have another fiscal id than the record they correct."""

    def seal(self, document, place, earlier_records=()):
        record = super().seal(document, place, earlier_records)
        return replace(record, fiscal_id=record.fiscal_id + "/2") if earlier_records else record


class Reckless(VerifactuChannel):
    """Channel that annuls documents which were never issued."""

    def __init__(self):
        super().__init__()
        self.annuls.preflight = lambda *_: []


class Shuffling(VerifactuChannel):
    """Channel whose messages turn the order round."""

    def message(self, heading, contents):
        return super().message(heading, contents[::-1])


class Lenient(SpanishTax):
    """Channel that takes any tax id."""

    def check_tax_id(self, value, country):
        return TaxIdCheck(valid=True, normalised=value)


class Unsourced(SpanishTax):
    """Tax facts whose rates name no source."""

    def rates(self, on, tax=None):
        return [replace(rate, source=" ") for rate in super().rates(on)]


NOBODY = Party(name="Nobody", tax_id="B00000019", country="ES")
UNKNOWN = TaxExemption(code="X1", label="Unknown")
VAGUE = CorrectionReason(
    code="R1", label="Error", documents=(CorrectedDocuments(kind=DocumentKind.INVOICE, with_detail="anything"),)
)


def suite_of(provider=country, module_name="ledgerkit.providers.es"):
    class Suite(ProviderConformance):
        module = module_name
        valid_tax_ids = ("12345678Z", "B64717838")
        invalid_tax_ids = ("12345678A",)

    Suite.provider = provider
    return Suite()


@pytest.mark.parametrize(
    ("changes", "test"),
    [
        ({"channels": (Restless(),)}, "test_sealing_twice_gives_the_same_record"),
        ({"channels": (Forgetful(),)}, "test_a_chained_record_depends_on_the_one_before"),
        ({"channels": (Talkative(),)}, "test_sealing_opens_no_socket"),
        (
            {"channels": (Renaming(),)},
            "test_a_correction_keeps_the_name_and_the_address_of_what_it_corrects",
        ),
        ({"channels": (Reckless(),)}, "test_an_annulment_strikes_out_what_was_issued_and_nothing_else"),
        ({"channels": (Shuffling(),)}, "test_a_message_carries_the_stored_bytes_in_order"),
        ({"channels": (VerifactuChannel(), VerifactuChannel())}, "test_channels_have_different_names"),
        ({"tax": Lenient()}, "test_known_bad_tax_ids_are_refused_with_a_reason"),
        ({"tax": Unsourced()}, "test_every_rate_has_a_source_and_a_period"),
        ({"tax_facts": TaxFacts()}, "test_forms_offer_the_rates_that_the_rules_take"),
        ({"tax_facts": replace(FACTS, rates=FACTS.rates[:2])}, "test_forms_offer_the_rates_that_the_rules_take"),
        ({"tax_facts": TaxFacts()}, "test_forms_offer_codes_that_the_rules_take"),
        ({"tax_facts": replace(FACTS, exemptions=(UNKNOWN,))}, "test_forms_offer_codes_that_the_rules_take"),
        ({"tax_facts": replace(FACTS, corrections=(VAGUE,))}, "test_details_on_which_reasons_depend_are_the_countrys"),
        ({"example_clients": (NOBODY,)}, "test_example_clients_have_tax_ids_that_the_rules_take"),
        ({"code": "es"}, "test_the_provider_states_what_it_is"),
        ({"languages": ("es", "eu")}, "test_legends_are_texts_with_a_source_in_every_language"),
        ({"languages": ("es", "eu")}, "test_every_language_has_words"),
        ({"words": {"es": {"locale": "pt_PT"}}}, "test_every_language_has_words"),
        ({"words": {"en": {"fax": "Fax"}}}, "test_words_are_for_what_documents_say_and_leave_room_for_the_same"),
        (
            {"words": {"en": {"mail.greeting": "Dear {name},"}}},
            "test_words_are_for_what_documents_say_and_leave_room_for_the_same",
        ),
        (
            {"words": {"en": {"tax.XX": "No tax of ours"}}},
            "test_words_are_for_what_documents_say_and_leave_room_for_the_same",
        ),
    ],
)
def test_a_country_that_breaks_a_promise_fails(changes, test):
    broken = suite_of(replace(country, **changes))

    with pytest.raises(AssertionError):
        getattr(broken, test)()
    getattr(suite_of(), test)()


def test_a_module_that_loads_an_http_client_fails():
    with pytest.raises(AssertionError):
        suite_of(module_name="httpx2").test_importing_it_opens_no_socket_and_loads_no_http_client(lambda *_: None)
