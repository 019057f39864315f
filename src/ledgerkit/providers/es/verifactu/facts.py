"""Facts of the channel `verifactu` that are known before it is loaded."""


class ChannelFacts:
    """The facts of `FiscalChannel`, the same in `LateChannel` and in the channel itself."""

    id = "verifactu"
    version = "1.0"
    """IDVersion of the AEAT's record design."""
    title = "VERI*FACTU (AEAT)"
    max_batch = 1000
    chained = True
    mere_notices = frozenset({"2004", "2009"})
    """Notices only: the clock differed; an IPSI line has no regime. Source: AEAT, web service description 1.0.3."""
