"""The cases for tax forms: the tests' own country passes them, and each can fail."""

from dataclasses import replace
from decimal import Decimal

import pytest

from ledgerkit.providers.api import FormFile, TaxPeriod
from ledgerkit.providers.conformance import ProviderConformance
from ledgerkit.texts import FixedText
from support import tiny_country
from support.tiny_country import QuarterlyForm


class TestVetania(ProviderConformance):
    provider = tiny_country.country
    module = "support.tiny_country"
    valid_tax_ids = ("VT100", "VT200")
    invalid_tax_ids = ("100",)

    def test_importing_it_opens_no_socket_and_loads_no_http_client(self):
        """No server imports the tests' own country, so its imports may be anything."""


class Restless(QuarterlyForm):
    """A form whose result depends on the order of documents."""

    def compute(self, form_input):
        computed = super().compute(form_input)
        first = form_input.ledger.sales[0].document_id if form_input.ledger.sales else ""
        return replace(computed, counted=frozenset({first}))


class Careless(QuarterlyForm):
    """A form whose evidence has a cent too much."""

    def compute(self, form_input):
        computed = super().compute(form_input)
        if not computed.evidence["10"]:
            return computed
        more = replace(computed.evidence["10"][0], amount=Decimal("0.01"))
        return replace(computed, evidence={**computed.evidence, "10": (*computed.evidence["10"], more)})


class Inventive(QuarterlyForm):
    """A form that takes an override of any box."""

    def compute(self, form_input):
        known = {key: value for key, value in form_input.overrides.items() if key in self.known}
        return super().compute(replace(form_input, overrides=known))


class Stubborn(QuarterlyForm):
    """A form that shows overrides as if they were computed."""

    def compute(self, form_input):
        computed = super().compute(form_input)
        return replace(computed, computed=computed.effective)


class Forgetful(QuarterlyForm):
    """A form whose file says another period."""

    def render_file(self, content):
        return super().render_file(replace(content, period=TaxPeriod(content.period.year, "Q2")))


class Credulous(QuarterlyForm):
    """A form that reads anything."""

    def read_file(self, content):
        return super().read_file(self.render_file_of_nothing())

    def render_file_of_nothing(self):
        return FormFile(name="x", media_type="text/plain", content=b"VT1;2025;Q1;VT100\nN\n\n").content


class Hasty(QuarterlyForm):
    """A form that is due before its period ends."""

    def due_date(self, period):
        return period.span.first


class Nameless(QuarterlyForm):
    """A form whose boxes have Spanish names only."""

    def boxes(self, period):
        return {
            key: replace(box, name=FixedText("", {"es": box.name.in_language("es")})) for key, box in self.known.items()
        }


def suite_of(*forms):
    class Suite(ProviderConformance):
        provider = replace(tiny_country.country, declarations=forms)
        valid_tax_ids = ("VT100", "VT200")

    return Suite()


@pytest.mark.parametrize(
    ("form", "test"),
    [
        (Restless(), "test_the_order_of_the_ledger_changes_nothing"),
        (Careless(), "test_evidence_adds_up_to_its_box_and_names_documents_of_the_ledger"),
        (Inventive(), "test_an_override_of_an_unknown_box_is_refused"),
        (Stubborn(), "test_an_override_replaces_the_effective_value_only"),
        (Forgetful(), "test_a_file_is_read_back_as_it_was_written"),
        (Credulous(), "test_what_is_no_file_of_the_form_is_not_read"),
        (Hasty(), "test_a_period_has_boxes_a_design_and_days"),
        (Nameless(), "test_forms_have_different_codes_and_names_in_every_language"),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, QuarterlyForm) else None,
)
def test_a_form_that_breaks_a_promise_fails(form, test):
    with pytest.raises(AssertionError):
        getattr(suite_of(form), test)()
    getattr(suite_of(QuarterlyForm()), test)()
