"""Check that the clock of this machine is right, by PostgreSQL's and by those of the tax authorities."""

from collections.abc import AsyncIterator
from functools import partial
from itertools import chain

from ledgerkit import clock
from ledgerkit.commands.examining.findings import Finding, advised, good
from ledgerkit.commands.examining.messages import DoctorMsg
from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.clock_watch import ClockWatch, Reference, is_wrong
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.providers.api import Access, ConnectionTest, Environment, FiscalChannel
from ledgerkit.providers.registry import Registry

ASKING_SECONDS = 5.0
"""Longest wait for one answer of an authority."""


async def of_database(kernel: Kernel) -> Finding:
    """Compare our clock with PostgreSQL's."""
    watch = ClockWatch(kernel.database)
    async with kernel.database.asking() as connection:
        await watch.ask(connection)
    offset = watch.offsets()[Reference.DATABASE]
    seconds = round(offset.total_seconds())
    return advised(DoctorMsg.CLOCK_WRONG, seconds=seconds) if is_wrong(offset) else good(DoctorMsg.CLOCK_RIGHT)


async def of_authorities(
    registry: Registry, environment: Environment, kernel: Kernel | None, *, seconds: float = ASKING_SECONDS
) -> AsyncIterator[Finding]:
    """Compare our clock with the `Date` of each authority's answer. One that does not answer is no fault of ours.

    Asked with the operator's certificate, then with one of an account, where `kernel` leads to the accounts; nothing is
    reported. The sandbox has no clock of its own.
    """
    if environment is Environment.SANDBOX:
        yield good(DoctorMsg.CLOCK_SIMULATED)
        return
    for channel in chain.from_iterable(country.channels for country in registry.countries.values()):
        certifying = channel.certifies
        if certifying is None:
            continue
        ask = partial(certifying.test, environment, timeout_seconds=seconds)
        answer = await ask()
        if answer.said_at is None and answer.reachable and kernel is not None:  # the operator is not let in
            account_certificate = await _certificate_of_an_account(kernel, channel)
            if account_certificate is not None:
                answer = await ask(access=account_certificate)
        yield _compared(channel, answer)


def _compared(channel: FiscalChannel, answer: ConnectionTest) -> Finding:
    if answer.said_at is None:
        reason = DoctorMsg.CLOCK_NOT_SAID if answer.problem is None else answer.problem.text.message
        return good(DoctorMsg.CLOCK_OF_AUTHORITY_UNKNOWN, channel=channel.title, reason=reason)
    offset = clock.now() - answer.said_at
    if is_wrong(offset):
        seconds = round(offset.total_seconds())
        return advised(DoctorMsg.CLOCK_OF_AUTHORITY_WRONG, channel=channel.title, host=answer.host, seconds=seconds)
    return good(DoctorMsg.CLOCK_OF_AUTHORITY_RIGHT, channel=channel.title, host=answer.host)


async def _certificate_of_an_account(kernel: Kernel, channel: FiscalChannel) -> Access | None:
    """Return the certificate of the first account that reports by this channel with one of its own, in force."""
    for issuer in await accounts.issuers(kernel):
        ctx = await accounts.system_context(kernel, issuer.account_id)
        active = channels.active(ctx)
        if active is None or active.id != channel.id:
            continue
        async with ctx.reading() as inner:
            certificate = await access.own_certificate(inner)
        if certificate is not None and certificate.valid_to > clock.now():
            return access.decrypt(ctx, certificate)
    return None
