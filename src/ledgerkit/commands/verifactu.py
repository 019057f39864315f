"""`ledgerkit verifactu ...`: chains, records and their authority, for who runs the server."""

import typer

verifactu = typer.Typer(
    no_args_is_help=True,
    help="Chains of fiscal records: check, export, and what belongs around them. Works beside a running `serve` and "
    "alone. Exit codes: 0 done; 1 done, and something is not right; 2 wrong use; 3 could not be done.",
)


@verifactu.callback()
def _group() -> None:
    """Keeps this a group of commands, however few it has."""
