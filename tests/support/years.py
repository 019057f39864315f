"""The year in which the tests run, which stands in every number that they get."""

from ledgerkit.clock import today

YEAR = today("Europe/Madrid").year
