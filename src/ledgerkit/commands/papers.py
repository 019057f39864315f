"""Commands about certificates and papers: what the producer declares, and whether the authority lets us in."""

from enum import StrEnum
from typing import Annotated

import typer

from ledgerkit.commands.running import NOT_RIGHT, AccountId, Chosen, TaxId, run_in_account
from ledgerkit.core.einvoice import producer_statement
from ledgerkit.core.einvoice.certificates import service
from ledgerkit.core.request.context import Context


class Form(StrEnum):
    """How a paper is printed."""

    TEXT = "text"
    HTML = "html"
    JSON = "json"


def declaration(
    tax_id: TaxId = None,
    account: AccountId = None,
    version: Annotated[str | None, typer.Option(help="Of the software; by default the one that runs")] = None,
    form: Annotated[Form, typer.Option("--format", help="text, html or json")] = Form.TEXT,
) -> None:
    """Print what the producer of this software declares of it."""

    async def work(ctx: Context) -> None:
        shown = await producer_statement.declaration(ctx, version)
        if form is Form.JSON:
            typer.echo(shown.model_dump_json(by_alias=True, indent=2))
        else:
            typer.echo(
                producer_statement.as_text(shown) if form is Form.TEXT else producer_statement.as_html(shown), nl=False
            )

    run_in_account(Chosen(tax_id, account), work)


def connection(tax_id: TaxId = None, account: AccountId = None) -> None:
    """Connect to the authority with the account's certificate or the operator's, and report nothing."""

    async def work(ctx: Context) -> None:
        came = await service.test(ctx)
        typer.echo(f"environment: {came.environment}  host: {came.host or '-'}  certificate: {came.certificate or '-'}")
        typer.echo(
            f"reachable: {_said(came.reachable)}  server verified: {_said(came.server_verified)}"
            f"  certificate accepted: {_said(came.certificate_accepted)}  ({came.milliseconds} ms)"
        )
        if came.problem is not None:
            typer.echo(f"{came.problem.code}: {came.problem.message} {came.problem.remedy}", err=True)
        if not came.ok:
            raise typer.Exit(NOT_RIGHT)

    run_in_account(Chosen(tax_id, account), work)


def _said(value: bool | None) -> str:
    return "unknown" if value is None else "yes" if value else "no"
