"""The jobs of a worker: waking the fiscal sender, the work that requests leave behind, and the nightly cleaning."""

from collections.abc import Awaitable, Callable, Mapping
from uuid import UUID

from ledgerkit.core.einvoice.certificates import expiry
from ledgerkit.core.einvoice.issuance import operations as issuance
from ledgerkit.core.einvoice.issuance.seals import TRANSMIT
from ledgerkit.core.einvoice.signed_mode import lifecycle as signed_mode
from ledgerkit.core.einvoice.transmission.sender import ChainKey, Transmitter
from ledgerkit.core.messaging.delivery import inbox
from ledgerkit.core.messaging.notices import events as notices
from ledgerkit.core.operation.personal_data.erasure import operations as erasure
from ledgerkit.core.operation.personal_data.export import operations as export
from ledgerkit.core.platform.ai.balance import actions
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.approvals.decisions import execution
from ledgerkit.core.platform.attachments.removal import contents as removal
from ledgerkit.core.platform.credentials.mailed_links import links, mails
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.logins import sessions
from ledgerkit.core.platform.jobs import Jobs
from ledgerkit.core.platform.oauth.grants import operations as grants
from ledgerkit.core.platform.request import idempotency
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.core.sales.invoices.mail.delivery import MAIL_INVOICE
from ledgerkit.core.teams.invitations import operations as invitations
from ledgerkit.settings import EInvoiceEnvironment, WorkerMode

Work = Callable[[Kernel, Mapping[str, object]], Awaitable[None]]
Round = Callable[[Kernel], Awaitable[None]]


def all_jobs(kernel: Kernel) -> Jobs:
    """Return all handlers and schedules of this server."""
    jobs = Jobs()
    for name, work in _WORK.items():
        _handle(jobs, kernel, name, work)
    for name, (expression, look) in _ROUNDS.items():
        _repeat(jobs, kernel, name, expression, look)
    return jobs


def _handle(jobs: Jobs, kernel: Kernel, name: str, work: Work) -> None:
    @jobs.handler(name)
    async def do(payload: Mapping[str, object]) -> None:
        await work(kernel, payload)


def _repeat(jobs: Jobs, kernel: Kernel, name: str, expression: str, look: Round) -> None:
    @jobs.every(expression, name)
    async def do(_: Mapping[str, object]) -> None:
        await look(kernel)


def sends_here(kernel: Kernel) -> bool:
    """Return True when this process's jobs may send: only the process that runs the sandbox can reach it."""
    sandboxed = kernel.settings.einvoice_env is EInvoiceEnvironment.SANDBOX
    return not sandboxed or kernel.settings.worker is WorkerMode.IN_PROCESS


async def _transmit(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Launch a chain's sending. The job is only a hint: the sweep finds due records, too, a little later."""
    if sends_here(kernel):
        chain = ChainKey(UUID(str(payload["accountId"])), UUID(str(payload["installationId"])))
        kernel.service(Transmitter).launch(chain)  # which goes on by itself, holding no place of a worker


async def _forget_keys(kernel: Kernel) -> None:
    for account_id in await accounts.all_ids(kernel):
        await _forget_keys_of(kernel, account_id)


async def _forget_keys_of(kernel: Kernel, account_id: UUID) -> None:
    async def attempt() -> None:
        async with kernel.database.transaction(account_id) as connection:
            await idempotency.purge(connection)
            await approvals.purge(connection)

    await retry_on_conflict(attempt)


_WORK: Mapping[str, Work] = {
    TRANSMIT: _transmit,
    actions.RELEASE_EXPIRED: actions.release_expired,
    expiry.WARN: expiry.mail_warning,
    MAIL_INVOICE: issuance.mail_put_off,
    mails.MAIL_PERSON: mails.mail_person,
    export.MAKE_PART: export.make_part,
    execution.FINISH: approvals.finish,
    erasure.ERASE: erasure.erase,
    erasure.FAREWELL: erasure.say_farewell,
    removal.REMOVE: removal.remove_content,
    notices.TELL: notices.tell,
}
_ROUNDS: Mapping[str, tuple[str, Round]] = {
    "forget-idempotency-keys": ("17 3 * * *", _forget_keys),
    "forget-invitations": ("37 3 * * *", invitations.forget),
    "forget-mailed-links": ("42 3 * * *", links.forget),
    "forget-revoked-logins": ("47 3 * * *", sessions.forget),
    "forget-oauth": ("12 * * * *", grants.forget),
    "forget-exports": ("7 * * * *", export.forget),
    "erase-closed-accounts": ("52 3 * * *", erasure.erase_again),
    "sweep-attachments": ("57 3 * * *", removal.sweep),
    "sum-up-kept-records": ("*/10 * * * *", signed_mode.log_summaries),
    "send-digests": ("*/10 * * * *", notices.send_digests),
    "forget-updates": ("2 4 * * *", inbox.forget),
    "look-at-certificates": ("27 6 * * *", expiry.warn_of_expiry),
}
"""Every round with its time (cron, UTC)."""
