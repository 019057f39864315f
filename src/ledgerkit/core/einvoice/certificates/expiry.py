"""Certificates that run out: told 60, 30 and 7 days before and on the day, once each, in the log and by mail.

A certificate that has expired stops no sale: records go on being made, and wait.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import select, update

from ledgerkit import clock
from ledgerkit.core.activity import service as activity
from ledgerkit.core.api_types.wire import utc_text
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.certificates import access, coverage
from ledgerkit.core.einvoice.certificates.models import fiscal_certificate
from ledgerkit.core.identity import accounts, members
from ledgerkit.core.jobs import service as jobs
from ledgerkit.core.mail import CertificateNotice, MailKind, certificate_mail
from ledgerkit.core.mail import service as mails
from ledgerkit.core.request.context import Context, Kernel
from ledgerkit.providers.api import Certificate, Environment
from ledgerkit.providers.registry import Registry

STEPS = (0, 7, 30, 60)
"""Days before the end at which it is told; 0 is when it is over."""

WARN = "warn-of-certificate"

log = structlog.get_logger()


@dataclass(frozen=True)
class CertificateEnd:
    """When a certificate ends: an account's own, or the operator's for a channel."""

    account_id: UUID | None
    channel: str | None
    until: datetime


def reached_step(until: datetime, now: datetime) -> int | None:
    """The latest of the steps that have come; None before the first."""
    return next((days for days in STEPS if until - now <= timedelta(days=days)), None)


async def warn_of_expiry(kernel: Kernel) -> None:
    """Once a day: tell of every account's certificate whose next step has come, and of the operator's in the log."""
    for account_id in await accounts.all_ids(kernel):
        if await _near(kernel, account_id):
            await _told(await accounts.system_context(kernel, account_id))
    for channel, until in _operators_ends(kernel).items():
        left = access.days_left(until)
        if left <= max(STEPS):
            log.warning("the operator's certificate runs out", channel=channel, days_left=left, until=until)
    for one in await coverage.uncovered_issuers(kernel):
        log.error("an issuer cannot report", account=str(one.issuer.account_id), why=one.problem.message)


async def certificate_ends(kernel: Kernel) -> list[CertificateEnd]:
    """Of every certificate on this server, one account after the other. Raises Unavailable."""
    found = [CertificateEnd(None, channel, until) for channel, until in _operators_ends(kernel).items()]
    for account_id in await accounts.all_ids(kernel):
        until = await _end(kernel, account_id)
        if until is not None:
            found.append(CertificateEnd(account_id, None, until))
    return found


def operator_certificates(countries: Registry, environment: Environment) -> Mapping[str, Certificate]:
    """The operator's own certificates that can be read, by channel."""
    certifying = {
        channel.id: channel.certifies
        for country in countries.countries.values()
        for channel in country.channels
        if channel.certifies is not None
    }
    found = {name: one.operators(environment) for name, one in certifying.items()}
    return {name: certificate for name, certificate in found.items() if certificate is not None}


async def mail_warning(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Mail one person, unless the certificate has been replaced or removed or the person has left since."""
    ctx = await accounts.system_context(kernel, UUID(str(payload["accountId"])))
    async with ctx.reading() as inner:
        row = await access.own_certificate(inner)
        people = {str(person.id): person for person in await members.in_charge(inner)}
    person = people.get(str(payload["userId"]))
    if row is None or str(row.id) != payload["certificateId"] or person is None:
        return
    notice = CertificateNotice(
        language="en" if person.locale == "en" else "es",
        to=person.email,
        team_name=ctx.account.issuer_name,
        holder=row.holder,
        until=row.valid_to,
        expired=row.valid_to <= clock.now(),
        days_left=max(0, access.days_left(row.valid_to)),
        time_zone=ctx.account.time_zone,
        link=ctx.settings.public_url,
        key=f"certificate-{row.id}-{payload['step']}-{person.id}",
    )
    await mails.send(ctx, certificate_mail(notice), MailKind.CERTIFICATE, ("fiscal_certificate", row.id))


async def _near(kernel: Kernel, account_id: UUID) -> bool:
    until = await _end(kernel, account_id)
    return until is not None and until <= clock.now() + timedelta(days=max(STEPS))


async def _end(kernel: Kernel, account_id: UUID) -> datetime | None:
    """When the account's own certificate ends; None without one."""

    async def ask() -> datetime | None:
        async with kernel.database.reading(account_id) as connection:
            return (await connection.execute(select(fiscal_certificate.c.valid_to))).scalar_one_or_none()

    return await retry_on_conflict(ask)


def _operators_ends(kernel: Kernel) -> Mapping[str, datetime]:
    found = operator_certificates(kernel.countries, Environment(kernel.settings.einvoice_env.value))
    return {channel: certificate.valid_until for channel, certificate in found.items()}


async def _told(ctx: Context) -> None:
    async def attempt() -> None:
        async with ctx.transaction() as inner:
            row = (await inner.db.execute(select(fiscal_certificate).with_for_update())).one_or_none()
            reached = None if row is None else reached_step(row.valid_to, clock.now())
            if row is not None and reached is not None and (row.warned_days is None or reached < row.warned_days):
                await _tell(inner, row, reached)

    await retry_on_conflict(attempt)


async def _tell(ctx: Context, row: Any, reached: int) -> None:
    """The step is taken, logged, and the mails put in the queue: all or nothing."""
    mine = fiscal_certificate.c.id == row.id
    await ctx.db.execute(update(fiscal_certificate).where(mine).values(warned_days=reached))
    action = "certificate_expired" if reached == 0 else "certificate_expiring"
    said = {"valid_to": (None, utc_text(row.valid_to))}
    await activity.record(ctx, action, ("fiscal_certificate", row.id), row.holder, said)
    for person in await members.in_charge(ctx):
        ids = {"accountId": ctx.account.id, "certificateId": row.id, "userId": person.id}
        payload = {name: str(value) for name, value in ids.items()} | {"step": reached}
        await jobs.enqueue(ctx, WARN, payload, dedupe_key=f"{row.id}-{reached}-{person.id}")
