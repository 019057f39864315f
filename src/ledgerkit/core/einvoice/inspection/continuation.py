"""Moving in with a chain: its last record, checked, asked for at the authority, and taken as what ours goes on from."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import structlog

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice import channels, rejection_texts
from ledgerkit.core.einvoice.certificates.access import AuthorityAccess, require_authority_access
from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.chain.schemas import Confirmation, Continued, ContinueInput
from ledgerkit.core.einvoice.event_log import events
from ledgerkit.core.einvoice.inspection.verification import shown
from ledgerkit.core.einvoice.models import fiscal_installation
from ledgerkit.core.einvoice.transmission import queries
from ledgerkit.core.einvoice.transmission.queries import Inquiry
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, bilingual, bilingual_error, bilingual_field
from ledgerkit.providers.api import Auditing, ChainLink, Environment, FiscalChannel, Heading, Holding, Question

SECONDS = 30.0
"""So long the authority's answer is awaited; an issuer who moves in does not wait for one that is away."""

_IN_THE_FUTURE = bilingual_error(
    "lastGeneratedAt",
    "VALIDATION_ERROR",
    ("lies in the future", "Copy the time from the last record."),
    ("está en el futuro", "Copia la hora del último registro."),
)

log = structlog.get_logger()


@operation(Permission.EINVOICE_MANAGE, unit=Unit.OWN)
async def continue_from(ctx: Context, data: ContinueInput) -> Continued:
    """Let the first record be linked to the last one of the software before, instead of beginning a chain.

    Where it was reported the authority is asked whether it holds it; an authority that does not answer stops nobody.
    Raises Invalid: CHAIN_BEGUN when there is a record already, what is wrong with the link, or that it is not held.
    """
    channel, audits = _channel(ctx)
    head, way = await retry_on_conflict(lambda: _checked(ctx, channel, audits, data))
    confirmation = await _confirmation(ctx, channel, head, way, data)
    row = await retry_on_conflict(lambda: _taken(ctx, channel, audits, data, confirmation))
    return Continued(**shown(ctx, row).model_dump(), confirmation=confirmation)


def _channel(ctx: Context) -> tuple[FiscalChannel, Auditing]:
    channel = channels.active(ctx)
    if channel is None or channel.audits is None:
        raise bilingual(
            Invalid,
            (
                "There is no chain to continue: e-invoicing is off for this account.",
                "Set the tax identifier with PUT /api/teams/current {taxId}, and {einvoicing: on} if it was off.",
            ),
            (
                "No hay cadena que continuar: esta cuenta tiene desactivada la facturación electrónica.",
                "Indica el NIF con PUT /api/teams/current {taxId}, y {einvoicing: on} si se desactivó.",
            ),
            code=Code.EINVOICE_UNSUPPORTED,
        )
    return channel, channel.audits


async def _checked(
    ctx: Context, channel: FiscalChannel, audits: Auditing, data: ContinueInput
) -> tuple[Any, AuthorityAccess]:
    async with ctx.transaction() as inner:
        head = await _head(inner, channel, audits, data)
        return head, await require_authority_access(inner, channel, Environment(head.environment), head.issuer_tax_id)


async def _taken(
    ctx: Context, channel: FiscalChannel, audits: Auditing, data: ContinueInput, confirmation: Confirmation
) -> Any:
    last = {
        "number": data.last_number,
        "issue_date": data.last_issue_date,
        "fingerprint": data.last_fingerprint,
        "generated_at": data.last_generated_at,
    }
    values = {f"{part}_{name}": value for part in ("origin", "last") for name, value in last.items()}
    async with ctx.transaction() as inner:
        head = await _head(inner, channel, audits, data)
        row = await records.change(inner, fiscal_installation, head.id, values)
        said = {"last_number": (None, data.last_number), "confirmation": (None, confirmation)}
        await heads.log_activity(inner, "chain_continued", row, said)
    return row


async def _head(ctx: Context, channel: FiscalChannel, audits: Auditing, data: ContinueInput) -> Any:
    """The issuer's chain, locked, which the last record may precede."""
    environment = Environment(ctx.settings.einvoice_env.value)
    head = await heads.lock_open_head(ctx, channel, environment, ctx.account.tax_id or "")
    if head.position:
        raise bilingual(
            Invalid,
            (
                f"The chain of installation {head.id.hex} has {head.position} records already.",
                "A chain can be continued before its first record only; it goes on from its own last one.",
            ),
            (
                f"La cadena de la instalación {head.id.hex} ya tiene {head.position} registros.",
                "Solo se puede continuar una cadena antes de su primer registro; sigue desde el último propio.",
            ),
            code=Code.CHAIN_BEGUN,
        )
    _check_link(ctx, head, data, audits)
    return head


def _check_link(ctx: Context, head: Any, data: ContinueInput, audits: Auditing) -> None:
    link = ChainLink(
        issuer_tax_id=head.issuer_tax_id,
        number=data.last_number,
        issue_date=data.last_issue_date,
        fingerprint=data.last_fingerprint,
    )
    names = {"issuer_tax_id": "issuer.taxId", "number": "lastNumber", "issue_date": "lastIssueDate"}
    found = [
        rejection_texts.field_error(one, names.get(one.field, "lastFingerprint"))
        for one in audits.continues(link, ctx.account.today())
    ]
    if data.last_generated_at is not None and data.last_generated_at > clock.now():
        found.append(_IN_THE_FUTURE)
    if found:
        said = {"en": found[0].message} | {name: one.message for name, one in (found[0].translations or {}).items()}
        raise bilingual(
            Invalid,
            (f"{found[0].field} {said['en']}", "Copy it from the last record, as it was made."),
            (f"{found[0].field} {said.get('es', said['en'])}", "Cópialo del último registro, tal como se hizo."),
            errors=found,
        )


# ---------------------------------------------------------------- the authority


async def _confirmation(
    ctx: Context, channel: FiscalChannel, head: Any, way: AuthorityAccess, data: ContinueInput
) -> Confirmation:
    """What the authority says of the last record. Outside any transaction. Raises Invalid when it does not hold it."""
    if not data.reported or channel.asks is None:
        return "not_asked"
    inquiry = Inquiry(
        channel=channel,
        asks=channel.asks,
        environment=Environment(head.environment),
        heading=Heading(issuer=events.issuer(ctx, head), representative=way.representative),
        installation_id=head.id,
        access=way.access,
        seconds=SECONDS,
    )
    for question in _questions(data):
        async for page in queries.pages(ctx, inquiry, question):
            if page.answer.failure is not None:
                log.warning("a continued chain is not confirmed", installation=head.id.hex, why=page.answer.failure)
                return "no_answer"
            if _is_held(page.answer.holdings, data):
                return "held"
    raise _not_held(data)


def _questions(data: ContinueInput) -> Iterator[Question]:
    """The authority is asked by the month of the operation: that of the issue, or mostly the one before."""
    month = data.last_issue_date.replace(day=1)
    for one in (month, (month - timedelta(days=1)).replace(day=1)):
        yield Question(year=one.year, month=one.month, number=data.last_number)


def _is_held(holdings: tuple[Holding, ...], data: ContinueInput) -> bool:
    """Raises Invalid when another record of the same document is."""
    found = next((one for one in holdings if _named(one) == (data.last_number, data.last_issue_date)), None)
    if found is None:
        return False
    if found.fingerprint not in {None, data.last_fingerprint}:
        raise bilingual_field(
            "lastFingerprint",
            (
                f"the authority holds another record of {data.last_number}, with the hash {found.fingerprint}",
                f"Copy the hash of the last record of all; {_IF_NOT_REPORTED}",
            ),
            (
                f"la administración tiene otro registro de {data.last_number}, con la huella {found.fingerprint}",
                f"Copia la huella del último registro de todos; {_SI_NO_SE_REMITIO}",
            ),
        )
    return True


def _named(one: Holding) -> tuple[str, date]:
    return one.number, one.issue_date


_IF_NOT_REPORTED = "if that one was only kept, or was refused, send `reported: false`."
_SI_NO_SE_REMITIO = "si solo se conservó, o fue rechazado, envía `reported: false`."


def _not_held(data: ContinueInput) -> Invalid:
    name, day = data.last_number, data.last_issue_date
    return bilingual_field(
        "lastNumber",
        (
            f"the authority holds no record of {name} of {day}",
            f"Copy number and date from the last record, once the software before has sent it; {_IF_NOT_REPORTED}",
        ),
        (
            f"la administración no tiene ningún registro de {name} del {day}",
            f"Copia número y fecha del último registro, ya enviado por el otro programa; {_SI_NO_SE_REMITIO}",
        ),
    )
