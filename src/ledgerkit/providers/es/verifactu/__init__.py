"""VERI*FACTU: invoices reported to the Spanish tax agency (AEAT) as they are issued.

Sources: RD 1007/2023; Orden HAC/1177/2024; the AEAT's web service description 1.0.3, validations 1.2.2, fingerprint
specification 0.1.2 and QR specification 0.5.0.
"""


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
