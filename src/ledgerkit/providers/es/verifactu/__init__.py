"""VERI*FACTU: invoices reported to the Spanish tax agency (AEAT) as they are issued.

Sources: RD 1007/2023; Orden HAC/1177/2024; the AEAT's web service description 1.0.3, validations 1.2.2, fingerprint
specification 0.1.2 and QR specification 0.5.0.
"""

from collections.abc import Mapping
from types import MappingProxyType

PREFIX = "LEDGERKIT_VERIFACTU_"
"""Beginning of the names of the environment variables that `settings` reads."""

HELP: Mapping[str, str] = MappingProxyType(
    {
        "url": "https:// address of the service; default: the AEAT's, by environment",
        "ca_file": "PEM file of the authorities to trust; default: the machine's trust store",
        "cert_file": "Client certificate with its key: PEM or PKCS#12 (.p12, .pfx); needed in test and production",
        "cert_password": "Password of the client certificate",
        "cert_kind": "`person` (or representative) or `seal` (entity seal): chooses the host",
        "signed_mode": "`on` or `off`: whether issuers may choose NO VERI*FACTU (signed records, kept; event log). "
        "Part of what the product is: every record says so",
        "representative_name": "Holder of the operator's certificate, when it reports in others' names",
        "representative_tax_id": "Spanish NIF of that holder",
        "producer_name": "Name of the producer who answers for this software; needed in test and production",
        "producer_tax_id": "Spanish NIF of the producer; needed in test and production",
        "system_name": "Name of the system",
        "system_id": "Code that the producer gives to the system, two of A-Z0-9",
        "system_components": "Parts and functions in the declaration; default: what is installed",
        "producer_address": "Whole postal address of the producer, for the declaration",
        "producer_contact": "Further ways to reach the producer, for the declaration's annex",
        "producer_web": "Web addresses of producer and product, for the declaration's annex",
        "declaration_place": "Town and country in which the producer signs the declaration",
        "declaration_date": "Day on which the producer signs the declaration, YYYY-MM-DD",
        "obliged_companies_from": "First day on which companies must use adapted software; default: the law's",
        "obliged_others_from": "First day on which everybody else who is obliged must use it; default: the law's",
        "obliged_announced": "Change of these days that is announced and not yet law",
    }
)
"""Meaning of each variable, by its name without the prefix, in lower case."""


class ChannelFacts:
    """Constants of `FiscalChannel`, the same in `LazyChannel` and in the channel itself."""

    id = "verifactu"
    version = "1.0"
    """IDVersion of the AEAT's record design."""
    title = "VERI*FACTU (AEAT)"
    max_batch = 1000
    chained = True
    mere_notices = frozenset({"2004", "2009"})
    """Notices only: the clock differed; an IPSI line has no regime. Source: AEAT, web service description 1.0.3."""
