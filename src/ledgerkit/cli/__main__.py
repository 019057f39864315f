"""`python -m ledgerkit.cli` is the command `ledgerkit`."""

from ledgerkit.cli import main

main()
