"""Expiry of certificates: warnings 60, 30 and 7 days before and on the day, once each, in the log and by mail.

An expired certificate prevents no sale: records are still made, and wait.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from sqlalchemy import select, update

from ledgerkit import clock
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.certificates.table import CertificateRow, fiscal_certificate
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.wire import utc_text
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.jobs import operations as jobs
from ledgerkit.core.platform.mail import CertificateNotice, MailKind, certificate_mail
from ledgerkit.core.platform.mail import operations as mails
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.providers.api import Certificate, Environment
from ledgerkit.providers.registry import Registry

STEPS = (0, 7, 30, 60)
"""Days before a certificate's end at which people are warned; 0 is when it has expired."""

WARN = "warn-of-certificate"

log = structlog.get_logger()


@dataclass(frozen=True)
class CertificateEnd:
    """End of a certificate: an account's own, or the operator's for a channel."""

    account_id: UUID | None
    channel: str | None
    until: datetime


def reached_step(until: datetime, now: datetime) -> int | None:
    """Return the last of `STEPS` that has been reached; None before the first."""
    return next((days for days in STEPS if until - now <= timedelta(days=days)), None)


async def warn_of_expiry(kernel: Kernel) -> None:
    """Warn of every account's certificate that has reached a step, and log the operator's; runs once a day."""
    for account_id in await accounts.all_ids(kernel):
        until = await _end(kernel, account_id)
        if until is not None and reached_step(until, clock.now()) is not None:
            await _warn(await accounts.system_context(kernel, account_id))
    for channel, until in _operator_certificate_ends(kernel).items():
        left = access.days_left(until)
        if left <= max(STEPS):
            log.warning("the operator's certificate runs out", channel=channel, days_left=left, until=until)
    for uncovered in await access.uncovered_issuers(kernel):
        account = str(uncovered.issuer.account_id)
        log.error("an issuer cannot report", account=account, why=uncovered.problem.message)


async def certificate_ends(kernel: Kernel) -> list[CertificateEnd]:
    """Return the end of every certificate on this server. Raises Unavailable."""
    ends = [CertificateEnd(None, channel, until) for channel, until in _operator_certificate_ends(kernel).items()]
    for account_id in await accounts.all_ids(kernel):
        until = await _end(kernel, account_id)
        if until is not None:
            ends.append(CertificateEnd(account_id, None, until))
    return ends


def operator_certificates(countries: Registry, environment: Environment) -> Mapping[str, Certificate]:
    """Return the operator's certificates that can be read, by channel."""
    certifying = {
        channel.id: channel.certifies
        for country in countries.countries.values()
        for channel in country.channels
        if channel.certifies is not None
    }
    certificates = {channel: use.operators(environment) for channel, use in certifying.items()}
    return {channel: certificate for channel, certificate in certificates.items() if certificate is not None}


async def mail_warning(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Mail a warning to one person, unless the certificate was replaced or removed since, or the person has left."""
    ctx = await accounts.system_context(kernel, UUID(str(payload["accountId"])))
    async with ctx.reading() as inner:
        row = await access.own_certificate(inner)
        people = {str(person.id): person for person in await members.owner_and_admins(inner)}
    person = people.get(str(payload["userId"]))
    if row is None or str(row.id) != payload["certificateId"] or person is None:
        return
    notice = CertificateNotice(
        language=person.locale,
        to=person.email,
        team_name=ctx.account.issuer_name,
        holder=row.holder,
        until=row.valid_to,
        expired=row.valid_to <= clock.now(),
        days_left=max(0, access.days_left(row.valid_to)),
        time_zone=ctx.account.time_zone,
        link=mails.page_address(ctx.kernel),
        key=f"certificate-{row.id}-{payload['step']}-{person.id}",
    )
    await mails.send(ctx, certificate_mail(notice), MailKind.CERTIFICATE, ("fiscal_certificate", row.id))


async def _end(kernel: Kernel, account_id: UUID) -> datetime | None:
    """Return the end of the account's own certificate; None without one."""

    async def read() -> datetime | None:
        async with kernel.database.reading(account_id) as connection:
            return (await connection.execute(select(fiscal_certificate.c.valid_to))).scalar_one_or_none()

    return await retry_on_conflict(read)


def _operator_certificate_ends(kernel: Kernel) -> Mapping[str, datetime]:
    certificates = operator_certificates(kernel.countries, Environment(kernel.settings.einvoice_env.value))
    return {channel: certificate.valid_until for channel, certificate in certificates.items()}


async def _warn(ctx: Context) -> None:
    """Warn of the account's certificate if it has reached a step that was not warned of yet."""

    async def attempt(inner: Context) -> None:
        row = await _LOCKED.row(inner.db)
        step = None if row is None else reached_step(row.valid_to, clock.now())
        if row is not None and step is not None and (row.warned_days is None or step < row.warned_days):
            await _warn_of_step(inner, row, step)

    await ctx.transact(attempt)


_LOCKED = Prepared(select(fiscal_certificate).with_for_update(), CertificateRow)


async def _warn_of_step(ctx: Context, row: CertificateRow, step: int) -> None:
    """Store the step, log it and queue the mails, all in the transaction of `ctx`."""
    is_row = fiscal_certificate.c.id == row.id
    await ctx.db.execute(update(fiscal_certificate).where(is_row).values(warned_days=step))
    action = "certificate_expired" if step == 0 else "certificate_expiring"
    changes = {"valid_to": (None, utc_text(row.valid_to))}
    await activity.record(ctx, action, ("fiscal_certificate", row.id), row.holder, changes)
    for person in await members.owner_and_admins(ctx):
        ids = {"accountId": ctx.account.id, "certificateId": row.id, "userId": person.id}
        payload = {name: str(value) for name, value in ids.items()} | {"step": step}
        await jobs.enqueue(ctx, WARN, payload, dedupe_key=f"{row.id}-{step}-{person.id}")
