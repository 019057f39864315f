"""Spain: IVA of the common territory and VERI*FACTU."""

from pathlib import Path

from ledgerkit.providers.api import CountryProvider
from ledgerkit.providers.es import doubts, not_subject, purchase_doubts, supplies_abroad
from ledgerkit.providers.es.books import BOOKS
from ledgerkit.providers.es.cross_checks import CHECKS
from ledgerkit.providers.es.purchase_words import PURCHASE_WORDS
from ledgerkit.providers.es.readings import SpanishReader
from ledgerkit.providers.es.regimes import SpanishRegimes
from ledgerkit.providers.es.tax import EXAMPLE_CLIENTS, FACTS, MARGIN_REGIMES, SpanishTax
from ledgerkit.providers.es.tax_forms import FORMS
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.providers.es.verifactu import HELP, PREFIX
from ledgerkit.providers.es.verifactu.lazy_channel import LazyChannel
from ledgerkit.texts import Catalogues

country = CountryProvider(
    code="ES",
    name="Spain",
    currency="EUR",
    time_zone="Europe/Madrid",
    languages=("es", "ca", "en"),
    api_version=1,
    tax=SpanishTax(),
    tax_facts=FACTS,
    example_clients=EXAMPLE_CLIENTS,
    channels=(LazyChannel(),),
    words=Catalogues(Path(__file__).parent / "words", prefix="words_es."),
    not_subject_reasons=not_subject.REASONS,
    margin_regimes=MARGIN_REGIMES,
    tax_doubts=doubts.doubts,
    purchase_doubts=purchase_doubts.doubts,
    tax_proposals=supplies_abroad.proposal,
    invoicing_regimes=SpanishRegimes(),
    books=BOOKS,
    cross_checks=CHECKS,
    purchase_words=PURCHASE_WORDS,
    readings=SpanishReader(),
    declarations=FORMS,
    tax_profile=SpanishTaxProfile,
    sandbox="ledgerkit.providers.es.sandbox:sandbox",
    settings_help={f"{PREFIX}{name.upper()}": meaning for name, meaning in HELP.items()},
)
