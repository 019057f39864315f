"""Spain: IVA of the common territory and VERI*FACTU."""

from pathlib import Path

from ledgerkit.providers.api import CountryProvider
from ledgerkit.providers.es import doubts, not_subject
from ledgerkit.providers.es.books import BOOKS
from ledgerkit.providers.es.cross_checks import CHECKS
from ledgerkit.providers.es.purchase_words import PURCHASE_WORDS
from ledgerkit.providers.es.readings import SpanishReader
from ledgerkit.providers.es.regimes import SpanishRegimes
from ledgerkit.providers.es.tax import EXAMPLE_CLIENTS, FACTS, MARGIN_REGIMES, SpanishTax
from ledgerkit.providers.es.tax_forms.forms import FORMS
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
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
    invoicing_regimes=SpanishRegimes(),
    books=BOOKS,
    cross_checks=CHECKS,
    purchase_words=PURCHASE_WORDS,
    readings=SpanishReader(),
    declarations=FORMS,
    tax_profile=SpanishTaxProfile,
    sandbox="ledgerkit.providers.es.sandbox:sandbox",
    settings_help={
        "LEDGERKIT_VERIFACTU_URL": "https:// address of the service; default: the AEAT's, by environment",
        "LEDGERKIT_VERIFACTU_CA_FILE": "PEM file of the authorities to trust; default: the machine's trust store",
        "LEDGERKIT_VERIFACTU_CERT_FILE": "Client certificate and key, PEM or PKCS#12; needed in test and production",
        "LEDGERKIT_VERIFACTU_CERT_PASSWORD": "Password of the client certificate",
        "LEDGERKIT_VERIFACTU_CERT_KIND": "`person` (default) or `seal` (entity seal): chooses the host",
        "LEDGERKIT_VERIFACTU_SIGNED_MODE": "`on`: issuers may choose NO VERI*FACTU (docs/einvoice.md); default `off`",
        "LEDGERKIT_VERIFACTU_PRODUCER_NAME": "Producer who answers for this software; needed in test and production",
        "LEDGERKIT_VERIFACTU_PRODUCER_TAX_ID": "Spanish NIF of the producer; needed in test and production",
        "LEDGERKIT_VERIFACTU_SYSTEM_NAME": "Name of the system, default `ledgerkit`, at most 30 characters",
        "LEDGERKIT_VERIFACTU_SYSTEM_ID": "Code of the system given by its producer, default `LK`, two of A-Z0-9",
        "LEDGERKIT_VERIFACTU_REPRESENTATIVE_NAME": "Holder of the operator's certificate, if it reports for others",
        "LEDGERKIT_VERIFACTU_REPRESENTATIVE_TAX_ID": "Spanish NIF of that holder",
        "LEDGERKIT_VERIFACTU_SYSTEM_COMPONENTS": "Parts and functions in the declaration; default: what is installed",
        "LEDGERKIT_VERIFACTU_PRODUCER_ADDRESS": "Whole postal address of the producer, for the declaration",
        "LEDGERKIT_VERIFACTU_PRODUCER_CONTACT": "Further ways to reach the producer, for the declaration's annex",
        "LEDGERKIT_VERIFACTU_PRODUCER_WEB": "Web addresses of producer and product, for the same",
        "LEDGERKIT_VERIFACTU_DECLARATION_PLACE": "Town and country in which the producer signs the declaration",
        "LEDGERKIT_VERIFACTU_DECLARATION_DATE": "Day of signing it, YYYY-MM-DD",
        "LEDGERKIT_VERIFACTU_OBLIGED_COMPANIES_FROM": "First day on which the law obliges companies",
        "LEDGERKIT_VERIFACTU_OBLIGED_OTHERS_FROM": "The same for everybody else who is obliged",
        "LEDGERKIT_VERIFACTU_OBLIGED_ANNOUNCED": "A change of these days that is announced and not yet law",
    },
)
