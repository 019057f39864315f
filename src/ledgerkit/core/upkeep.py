"""The jobs of a worker: what wakes the fiscal sender, and the nightly cleaning."""

from collections.abc import Mapping
from uuid import UUID

from ledgerkit.core import idempotency
from ledgerkit.core.context import Kernel
from ledgerkit.core.db import persist
from ledgerkit.core.einvoice.keeping import Keeper
from ledgerkit.core.einvoice.papers import expiry
from ledgerkit.core.einvoice.sealing import TRANSMIT
from ledgerkit.core.einvoice.sending.transmission import Chain, Transmitter
from ledgerkit.core.identity import accounts, sessions
from ledgerkit.core.jobs import Jobs
from ledgerkit.core.teams import invitations
from ledgerkit.settings import EInvoiceEnvironment, WorkerMode


def all_jobs(kernel: Kernel) -> Jobs:
    """Every handler and schedule of this server."""
    jobs = Jobs()

    @jobs.handler(TRANSMIT)
    async def transmit(payload: Mapping[str, object]) -> None:
        """Only a hint: what is due is in the database, and is found without it a little later."""
        if sends_here(kernel):
            chain = Chain(UUID(str(payload["accountId"])), UUID(str(payload["installationId"])))
            kernel.part(Transmitter).launch(chain)  # which goes on by itself, holding no place of a worker

    @jobs.every("17 3 * * *", "forget-idempotency-keys")
    async def forget_keys(_: Mapping[str, object]) -> None:
        for account_id in await accounts.all_ids(kernel):
            await _forget_keys_of(kernel, account_id)

    @jobs.every("37 3 * * *", "forget-invitations")
    async def forget_invitations(_: Mapping[str, object]) -> None:
        await invitations.forget(kernel)

    @jobs.every("47 3 * * *", "forget-revoked-logins")
    async def forget_logins(_: Mapping[str, object]) -> None:
        await sessions.forget(kernel)

    @jobs.every("*/10 * * * *", "sum-up-kept-records")
    async def sum_up(_: Mapping[str, object]) -> None:
        await Keeper(kernel).sum_up()

    @jobs.every("27 6 * * *", "look-at-certificates")
    async def look_at_certificates(_: Mapping[str, object]) -> None:
        await expiry.look(kernel)

    @jobs.handler(expiry.WARN)
    async def warn_of_certificate(payload: Mapping[str, object]) -> None:
        await expiry.mail(kernel, payload)

    return jobs


def sends_here(kernel: Kernel) -> bool:
    """Whether this process's jobs may send: the sandbox can be reached from the process that runs it only."""
    sandboxed = kernel.settings.einvoice_env is EInvoiceEnvironment.SANDBOX
    return not sandboxed or kernel.settings.worker is WorkerMode.IN_PROCESS


async def _forget_keys_of(kernel: Kernel, account_id: UUID) -> None:
    async def attempt() -> None:
        async with kernel.database.transaction(account_id) as connection:
            await idempotency.purge(connection)

    await persist(attempt)
