"""Cross-checks of Spain's declarations of a year, in the order in which they are shown."""

from ledgerkit.providers.es.cross_checks import instalments, vat, withholdings

CHECKS = (*vat.CHECKS, *withholdings.CHECKS, *instalments.CHECKS)

__all__ = ["CHECKS"]
