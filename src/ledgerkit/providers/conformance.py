"""The tests every country must pass. A third party subclasses `ProviderConformance` in its own test suite.

    from ledgerkit.providers.conformance import ProviderConformance
    from ledgerkit_pt import country

    class TestPortugal(ProviderConformance):
        provider = country
        module = "ledgerkit_pt"
        valid_tax_ids = ("PT501964843",)
        invalid_tax_ids = ("PT501964844", "000000000")

Needs pytest and hypothesis, which the package itself does not depend on: only tests import this module.
"""
# ruff: noqa: S101 - this module is a test suite, asserting is its purpose

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from string import Formatter
from typing import ClassVar
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledgerkit.money import percent_of, round_cents
from ledgerkit.providers.api import (
    API_VERSION,
    ENGLISH_WORDS,
    Annulment,
    ChainLink,
    Correction,
    CountryProvider,
    Delivery,
    Document,
    DocumentKind,
    DocumentRef,
    Environment,
    FiscalChannel,
    Heading,
    Installation,
    Party,
    PastRecord,
    Place,
    SealedRecord,
    State,
    TaxCategory,
    TaxLine,
    TaxRate,
)
from ledgerkit.providers.form_conformance import BookConformance, FormConformance
from ledgerkit.providers.reading_conformance import ReadingConformance
from ledgerkit.texts import ENGLISH

HTTP_CLIENTS = frozenset({"httpx", "httpx2", "requests", "aiohttp", "urllib3"})

INSTALLATION = Installation(number="conformance-1", several_issuers=False)

_GARBAGE = (
    b"",
    b"\x00\xff",
    b"<html><body>Service unavailable</body></html>",
    b"<a><b>",
    b"{}",
    b"<?xml version='1.0'?><a/>",
)
_ANSWERED = frozenset({State.ACCEPTED, State.ACCEPTED_WITH_ERRORS, State.REJECTED, State.ANNULLED})

_IMPORTED = """
import json, sys, time
sockets = []
sys.addaudithook(lambda event, _: sockets.append(event) if event.startswith("socket.") else None)
import ledgerkit.providers.api
started = time.perf_counter()
__import__(sys.argv[1])
took = round((time.perf_counter() - started) * 1000)
print(json.dumps({"modules": sorted(sys.modules), "sockets": sockets, "milliseconds": took}))
"""

_TEXT = st.text(st.sampled_from("aZ9 ñ€&<>\"'/\\\t\r\n\x00\x1f\x7f\u0085\u202e\ufffe😀"), max_size=40).map("x{}".format)
_CENTS = st.integers(min_value=-200_000, max_value=200_000).map(lambda cents: Decimal(cents) / 100)


class _SocketWatch:
    """Counts what this process does with sockets while it is watched; a hook cannot be taken back, so it sleeps."""

    def __init__(self) -> None:
        self.watching = False
        self.events: list[str] = []
        sys.addaudithook(self._heard)

    @contextmanager
    def __call__(self) -> Iterator[list[str]]:
        self.watching, self.events = True, []
        try:
            yield self.events
        finally:
            self.watching = False

    def _heard(self, event: str, _: tuple[object, ...]) -> None:
        if self.watching and event.startswith("socket."):
            self.events.append(event)


_sockets = _SocketWatch()


class ProviderConformance(FormConformance, BookConformance, ReadingConformance):
    """Subclass it, name it `Test...`, and set the five facts below."""

    provider: ClassVar[CountryProvider]
    module: ClassVar[str]
    """The module whose import gives the provider, as in its entry point."""
    valid_tax_ids: ClassVar[Sequence[str]]
    """Identifiers of the country itself; the first is the issuer's, the last the client's."""
    invalid_tax_ids: ClassVar[Sequence[str]]
    today: ClassVar[date] = date(2026, 11, 20)

    def test_the_provider_states_what_it_is(self) -> None:
        provider = self.provider

        assert provider.api_version == API_VERSION
        assert len(provider.code) == 2
        assert provider.code.isupper()
        assert len(provider.currency) == 3
        assert ZoneInfo(provider.time_zone)
        assert provider.languages

    def test_importing_it_opens_no_socket_and_loads_no_http_client(
        self, record_property: Callable[[str, object], None]
    ) -> None:
        run = subprocess.run(  # noqa: S603 - our own interpreter and script
            [sys.executable, "-c", _IMPORTED, self.module], capture_output=True, check=True, timeout=60
        )
        import_report = json.loads(run.stdout)
        record_property("import_milliseconds", import_report["milliseconds"])

        assert import_report["sockets"] == []
        assert HTTP_CLIENTS.isdisjoint(import_report["modules"])

    def test_every_rate_has_a_source_and_a_period(self) -> None:
        rates = self.provider.tax.rates(self.today)

        assert rates, "no rate is in force today"
        for rate in rates:
            assert rate.source.strip()
            assert rate.name.strip()
            assert Decimal(0) <= rate.percent <= Decimal(100)
            assert rate.since <= self.today
            assert rate.until is None or self.today <= rate.until

    def test_a_rate_is_named_once_on_a_day(self) -> None:
        percents = [rate.percent for rate in self.provider.tax.rates(self.today)]

        assert len(percents) == len(set(percents))

    def test_forms_offer_the_rates_that_the_rules_take(self) -> None:
        facts = self.provider.tax_facts
        beginnings = {rate.since for rate in facts.rates} | {
            rate.until + timedelta(days=1) for rate in facts.rates if rate.until
        }
        last_days = {day - timedelta(days=1) for day in beginnings}

        for day in {self.today} | beginnings | last_days:
            assert list(facts.rates_in_force(day)) == list(self.provider.tax.rates(day)), day

    def test_forms_offer_codes_that_the_rules_take(self) -> None:
        facts, tax = self.provider.tax_facts, self.provider.tax

        assert {exemption.code for exemption in facts.exemptions} <= set(tax.exemption_codes)
        for kind in set(DocumentKind) - {DocumentKind.CREDIT_NOTE}:
            corrected = replace(self.document([self._line(TaxCategory.STANDARD)]), kind=kind)
            assert list(facts.reasons_for(corrected)) == list(tax.corrections(corrected))

    def test_example_clients_have_tax_ids_that_the_rules_take(self) -> None:
        for client in self.provider.example_clients:
            assert client.tax_id, client.name
            assert self.provider.tax.check_tax_id(client.tax_id, client.country).valid, client.name

    def test_details_on_which_reasons_depend_are_the_countrys(self) -> None:
        documents = [document for reason in self.provider.tax_facts.corrections for document in reason.documents]
        named = {
            detail for document in documents for detail in (document.with_detail, document.without_detail) if detail
        }

        assert named <= set(self.provider.tax.document_details)

    def test_numbers_keep_to_their_own_rules(self) -> None:
        rules = self.provider.tax.numbering

        assert set(rules.series) == set(DocumentKind)
        assert rules.source.strip()
        for series in rules.series.values():
            number = rules.number(series, 2026, 99_999)
            assert len(number) <= rules.max_length
            assert not set(rules.forbidden) & set(number)

    def test_known_tax_ids_are_accepted_and_their_normal_form_is_stable(self) -> None:
        for value in self.valid_tax_ids:
            verdict = self.provider.tax.check_tax_id(value, self.provider.code)

            assert verdict.valid, f"{value}: {verdict.reason}"
            assert self.provider.tax.check_tax_id(verdict.normalised, self.provider.code) == verdict

    def test_known_bad_tax_ids_are_refused_with_a_reason(self) -> None:
        for value in (*self.invalid_tax_ids, "", " "):
            verdict = self.provider.tax.check_tax_id(value, self.provider.code)

            assert not verdict.valid, value
            assert verdict.reason

    def test_legends_are_texts_with_a_source_in_every_language(self) -> None:
        for category in TaxCategory:
            for legend in self.provider.tax.legends(self.document([self._line(category)])):
                assert legend.source.strip()
                assert set(self.provider.languages) <= set(legend.text.languages)

    def test_every_language_has_words(self) -> None:
        provider = self.provider

        for language in {*provider.languages} - {ENGLISH}:
            assert language in provider.words, f"documents in {language} would be printed in English"
            locale = Locale.parse(provider.words[language]["locale"])
            assert locale.language == language
            assert format_date(self.today, provider.words[language].get("date", "medium"), locale=locale)

    def test_words_are_for_what_documents_say_and_leave_room_for_the_same(self) -> None:
        for words in self.provider.words.values():
            for key, text in words.items():
                if key.startswith("tax."):
                    assert key.removeprefix("tax.") in self.provider.tax.taxes, key
                    continue
                assert key in ENGLISH_WORDS, f"{key} is said nowhere"
                assert _places(text) == _places(ENGLISH_WORDS[key]), key

    def test_channels_have_different_names(self) -> None:
        names = [channel.id for channel in self.provider.channels]

        assert len(names) == len(set(names))

    def test_sealing_twice_gives_the_same_record(self) -> None:
        document = self.document([self._line(TaxCategory.STANDARD)])

        for channel in self.provider.channels:
            assert self.seal(channel, document) == self.seal(channel, document)

    def test_sealing_opens_no_socket(self) -> None:
        document = self.document([self._line(TaxCategory.STANDARD)])

        for channel in self.provider.channels:
            with _sockets() as events:
                self.seal(channel, document)
            assert events == []

    def test_a_chained_record_depends_on_the_one_before(self) -> None:
        document = self.document([self._line(TaxCategory.STANDARD)])

        for channel in self.provider.channels:
            first = self.seal(channel, document)
            second = self.seal(channel, document, self._link(first, "A" * 64))
            third = self.seal(channel, document, self._link(first, "B" * 64))
            if channel.chained:
                assert len({first.fingerprint, second.fingerprint, third.fingerprint}) == 3

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
    @given(data=st.data())
    def test_any_document_that_passes_preflight_becomes_its_own_record(self, data: st.DataObject) -> None:
        document = data.draw(self.documents())

        for channel in self.provider.channels:
            problems = channel.preflight(document, self.today)
            assert not problems
            record = self.seal(channel, document)
            assert record.channel == channel.id
            assert (record.number, record.issue_date) == (document.number, document.issue_date)
            assert record.fiscal_id
            assert record.content

    def test_a_correction_keeps_the_name_and_the_address_of_what_it_corrects(self) -> None:
        document = self.document([self._line(TaxCategory.STANDARD)])

        for channel in self.provider.channels:
            first = self.seal(channel, document)
            for state in State:
                again = self.seal(channel, document, earlier_records=[PastRecord(kind="issue", state=state)])
                assert (again.kind, again.fiscal_id, again.qr_url) == ("issue", first.fiscal_id, first.qr_url)

    def test_an_annulment_strikes_out_what_was_issued_and_nothing_else(self) -> None:
        document = self.document([self._line(TaxCategory.STANDARD)])
        name = DocumentRef(number=document.number, issue_date=document.issue_date)
        wish = Annulment(issuer=document.issuer, document=name)
        issued = [PastRecord(kind="issue", state=State.ACCEPTED)]
        annulled = [*issued, PastRecord(kind="annul", state=State.ACCEPTED)]

        for channel in self.provider.channels:
            if channel.annuls is None:
                continue
            assert not channel.annuls.preflight(wish, issued, self.today)
            for nothing in ([], annulled):
                assert channel.annuls.preflight(wish, nothing, self.today)
            record = channel.annuls.seal(wish, self._place(), issued)
            assert record == channel.annuls.seal(wish, self._place(), issued)
            assert (record.kind, record.qr_url) == ("annul", None)
            assert record.fiscal_id == self.seal(channel, document).fiscal_id

    def test_a_message_carries_the_stored_bytes_in_order(self) -> None:
        for channel in self.provider.channels:
            contents = [
                self.seal(channel, self.document([self._line(TaxCategory.STANDARD)], ordinal)).content
                for ordinal in range(1, min(3, channel.max_batch) + 1)
            ]
            message = channel.message(Heading(issuer=self._issuer()), contents)
            places = [message.find(content) for content in contents]
            assert -1 not in places
            assert places == sorted(places)

    def test_an_unreadable_answer_accepts_nothing(self) -> None:
        records = [("A-1", self.today), ("A-2", self.today)]
        broken = (
            Delivery(status=None, body=b"", error="refused", sent=False),
            Delivery(status=None, body=b"", error="timed out"),
            *(Delivery(status=status, body=body) for status in (200, 302, 429, 500, 503) for body in _GARBAGE),
        )

        for channel in self.provider.channels:
            for delivery in broken:
                outcomes = channel.read(delivery, records).outcomes
                assert len(outcomes) == len(records)
                assert _ANSWERED.isdisjoint(outcome.state for outcome in outcomes)

    def test_only_a_code_of_the_authority_is_explained(self) -> None:
        for channel in self.provider.channels:
            assert channel.explain("") is None
            assert channel.explain("no such code") is None

    def test_the_sandbox_needs_no_configuration(self) -> None:
        for channel in self.provider.channels:
            assert not channel.ready(Environment.SANDBOX)

    def seal(
        self,
        channel: FiscalChannel,
        document: Document,
        previous: ChainLink | None = None,
        earlier_records: Sequence[PastRecord] = (),
    ) -> SealedRecord:
        return channel.seal(document, self._place(previous), earlier_records)

    def _place(self, previous: ChainLink | None = None) -> Place:
        at = datetime(self.today.year, self.today.month, self.today.day, 12, tzinfo=ZoneInfo(self.provider.time_zone))
        return Place(previous=previous, installation=INSTALLATION, at=at, environment=Environment.SANDBOX)

    def document(self, lines: Sequence[TaxLine], ordinal: int = 1) -> Document:
        """An invoice with these tax lines, to a client in the country."""
        tax = sum((line.amount + line.surcharge_amount for line in lines), Decimal("0.00"))
        gross = sum((line.base for line in lines), Decimal("0.00")) + tax
        rules = self.provider.tax.numbering
        return Document(
            kind=DocumentKind.INVOICE,
            number=rules.number(rules.series[DocumentKind.INVOICE], self.today.year, ordinal),
            issue_date=self.today,
            operation_date=None,
            issuer=self._issuer(),
            recipient=Party(name="Client", tax_id=self._tax_id(-1), country=self.provider.code),
            currency=self.provider.currency,
            description="Services",
            taxes=tuple(lines),
            tax_total=tax,
            gross_total=gross,
            retention=Decimal("0.00"),
            payable=gross,
        )

    def documents(self) -> st.SearchStrategy[Document]:
        """Invoices and credit notes at the rates in force today; override it to add what the country knows."""
        return _documents(self)

    def _line(self, category: TaxCategory) -> TaxLine:
        if category is TaxCategory.STANDARD:
            return self.taxed(self.provider.tax.rates(self.today)[0], Decimal("100.00"))
        return TaxLine(category=category, rate=Decimal(0), base=Decimal("100.00"), amount=Decimal("0.00"))

    @staticmethod
    def taxed(rate: TaxRate, base: Decimal) -> TaxLine:
        net = round_cents(base)
        return TaxLine(category=TaxCategory.STANDARD, rate=rate.percent, base=net, amount=percent_of(net, rate.percent))

    @staticmethod
    def _link(record: SealedRecord, fingerprint: str) -> ChainLink:
        return ChainLink(
            issuer_tax_id=record.issuer_tax_id,
            number=record.number,
            issue_date=record.issue_date,
            fingerprint=fingerprint,
        )

    def _issuer(self) -> Party:
        return Party(name="Issuer", tax_id=self._tax_id(0), country=self.provider.code)

    def _tax_id(self, position: int) -> str:
        return self.provider.tax.check_tax_id(self.valid_tax_ids[position], self.provider.code).normalised


def _places(text: str) -> set[str]:
    """List the names in braces."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@st.composite
def _documents(draw: st.DrawFn, suite: ProviderConformance) -> Document:
    rates = draw(st.lists(st.sampled_from(suite.provider.tax.rates(suite.today)), min_size=1, unique=True))
    invoice = suite.document([suite.taxed(rate, draw(_CENTS)) for rate in rates], draw(st.integers(1, 9_999_999)))
    operated = draw(st.none() | st.integers(0, 20).map(lambda days: suite.today - timedelta(days=days)))
    invoice = replace(invoice, description=draw(_TEXT), operation_date=operated)
    if draw(st.booleans()):
        return invoice
    corrected = DocumentRef(number="F2026-0001", issue_date=suite.today)
    return replace(invoice, kind=DocumentKind.CREDIT_NOTE, correction=Correction(documents=(corrected,)))
