"""Put a process together: database, countries, sandbox, sender, printer, worker; and take it apart again."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from types import MappingProxyType
from typing import Any

import structlog
from sqlalchemy.engine import make_url

from ledgerkit.core.einvoice.chain import restore_detection
from ledgerkit.core.einvoice.chain.restore_detection import SentRecords
from ledgerkit.core.einvoice.modes.signed_mode_hooks import SignedModeHooks
from ledgerkit.core.einvoice.signed_mode.hooks import SignedMode
from ledgerkit.core.einvoice.signed_mode.lifecycle import SignedModeProcess
from ledgerkit.core.einvoice.transmission.sender import Transmitter
from ledgerkit.core.messaging.delivery.running_bot import RunningBot
from ledgerkit.core.messaging.messengers.bots import Bots
from ledgerkit.core.operation.going_live.readiness import lacks as readiness
from ledgerkit.core.operation.installation.database.access import (
    any_database,
    is_running,
    served_database,
    shared_database,
)
from ledgerkit.core.operation.installation.database.setup import prepare
from ledgerkit.core.operation.installation.server.scheduled_jobs import all_jobs
from ledgerkit.core.operation.installation.server.state_metrics import StateMetrics
from ledgerkit.core.operation.personal_data.export.directory import ExportDirectory
from ledgerkit.core.platform.activity.queries import ActivityEntries
from ledgerkit.core.platform.ai.model import ModelClient
from ledgerkit.core.platform.api_types.list_pages import PageCache
from ledgerkit.core.platform.approvals.agreements.desk import Approvals
from ledgerkit.core.platform.attachments.store.current import Stores
from ledgerkit.core.platform.confined.calls import ConfinedCalls
from ledgerkit.core.platform.database.readiness import Life, SupervisedServer
from ledgerkit.core.platform.database.sessions import BACKGROUND, unhurried
from ledgerkit.core.platform.database.transactions import Database, Pooling
from ledgerkit.core.platform.identity.limits.throttle import Throttle
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.identity.logins.tokens import Tokens
from ledgerkit.core.platform.identity.persons.passwords import Passwords
from ledgerkit.core.platform.jobs import Worker
from ledgerkit.core.platform.mail import Mailer
from ledgerkit.core.platform.oauth.client_documents.cache import ClientDocuments
from ledgerkit.core.platform.request.clock_watch import ClockWatch
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.core.platform.request.presence import Presence
from ledgerkit.core.platform.request.previews import WriteLog
from ledgerkit.core.platform.request.proposals import ApprovalDesk
from ledgerkit.core.purchases.reading.ocr.recogniser import Recogniser
from ledgerkit.core.sales.invoices.pdf import PdfPrinter, missing_requirements
from ledgerkit.providers.api import CountryProvider, Sandbox
from ledgerkit.providers.registry import Registry, discover
from ledgerkit.settings import EInvoiceEnvironment, RateLimit, Settings, WorkerMode, secret_key
from ledgerkit.settings.start_errors import Misconfigured
from ledgerkit.settings.values import UnfitValueError
from ledgerkit.telemetry.metrics import MetricsServer
from ledgerkit.telemetry.tracing import tracing
from ledgerkit.texts import read_catalogues

log = structlog.get_logger()

Services = Mapping[type, object]
NO_SERVICES: Services = MappingProxyType({})


@asynccontextmanager
async def serving(settings: Settings, further: Services = NO_SERVICES) -> AsyncIterator[Kernel]:
    """Everything that `ledgerkit serve` needs; the embedded PostgreSQL too when no other is configured.

    `further` are services that packages above bring.
    """
    async with AsyncExitStack() as stack:
        await _observed(stack, settings)
        access, own_server = await served_database(stack, settings)
        url = await prepare(access)
        countries = await _countries(stack, settings)
        _say_what_pdfs_lack()
        limit = timedelta(seconds=settings.statement_timeout)
        kernel = await _kernel(stack, settings, url, countries, limit=limit, own_server=own_server, further=further)
        await readiness.refuse_trials(kernel)
        with unhurried():
            await _background(stack, kernel, url)
        await _measured(stack, kernel)
        read_catalogues()
        yield kernel


async def _background(stack: AsyncExitStack, kernel: Kernel, url: str) -> None:
    """Start what a server does beside its requests."""
    settings = kernel.settings
    await _started(stack, kernel.service(Presence))
    await _started(stack, kernel.service(ClockWatch))
    await restore_detection.detect_restored_database(kernel)
    await _started(stack, SignedModeProcess(kernel))
    sandboxed = settings.einvoice_env is EInvoiceEnvironment.SANDBOX
    stack.push_async_callback(kernel.service(Transmitter).stop)
    if settings.worker is WorkerMode.IN_PROCESS or sandboxed:
        # The sandbox lives in this process, so its sender does too, wherever the other work is done.
        await kernel.service(Transmitter).start()
    if settings.worker is WorkerMode.IN_PROCESS:
        await _started(stack, Worker(url, all_jobs(kernel)))
        await _served(stack, kernel)


async def _served(stack: AsyncExitStack, kernel: Kernel) -> None:
    """Serve the messengers that are set up, beside the other work that nobody waits for."""
    bots = kernel.service(Bots)
    for name, plugin in bots.plugins.items():
        await _started(stack, RunningBot(kernel, plugin, bots.messengers[name]))


@asynccontextmanager
async def working(settings: Settings, further: Services = NO_SERVICES) -> AsyncIterator[Kernel]:
    """Everything that `ledgerkit worker` needs, beside a running `serve` with LEDGERKIT_WORKER=apart."""
    async with AsyncExitStack() as stack:
        await _observed(stack, settings)
        url = await prepare(shared_database(settings))
        kernel = await _kernel(stack, settings, url, discover(), limit=BACKGROUND, further=further)
        await readiness.refuse_trials(kernel)
        await _started(stack, kernel.service(ClockWatch))
        await restore_detection.detect_restored_database(kernel)
        if settings.einvoice_env is not EInvoiceEnvironment.SANDBOX:
            await _started(stack, kernel.service(Transmitter))
        await _started(stack, Worker(url, all_jobs(kernel)))
        await _served(stack, kernel)
        await _measured(stack, kernel)
        read_catalogues()
        yield kernel


@asynccontextmanager
async def commanding(settings: Settings, further: Services = NO_SERVICES) -> AsyncIterator[Kernel]:
    """Everything that one command needs, beside a running `serve` or with a PostgreSQL that it starts itself.

    Nothing is sent, worked or listened to in the background.
    """
    async with AsyncExitStack() as stack:
        url = await prepare(await any_database(stack, settings))
        yield await _kernel(stack, settings, url, _reached(settings), further=further)


@asynccontextmanager
async def chatting(settings: Settings, further: Services = NO_SERVICES) -> AsyncIterator[Kernel]:
    """Everything that `ledgerkit chat` needs: beside a running `serve`, or with all that it would start but HTTP."""
    runs_beside = settings.database_url is not None or settings.database_app_url is not None or is_running(settings)
    async with commanding(settings, further) if runs_beside else serving(settings, further) as kernel:
        yield kernel


def _reached(settings: Settings) -> Registry:
    """The countries, speaking to the sandbox authorities that a running `serve` has started, if they are to."""
    registry = discover()
    if settings.einvoice_env is not EInvoiceEnvironment.SANDBOX:
        return registry
    ready: dict[str, CountryProvider] = {}
    for code, country in registry.countries.items():
        access = _sandbox_of(settings, country).reach() if country.sandbox else None
        channels = (
            tuple(channel.connect_sandbox(access) for channel in country.channels) if access else country.channels
        )
        ready[code] = replace(country, channels=channels)
    return replace(registry, countries=MappingProxyType(ready))


def _say_what_pdfs_lack() -> None:
    """One line for the operator, who would otherwise learn it from the first PDF that fails."""
    requirements = missing_requirements()
    if requirements is not None and requirements.needed:
        log.warning(
            "PDFs cannot be made: system libraries are missing", missing=requirements.needed, type=requirements.command
        )


def _sandbox_of(settings: Settings, country: CountryProvider) -> Sandbox:
    module, _, name = (country.sandbox or "").partition(":")
    sandbox: Sandbox = getattr(import_module(module), name)(settings.data_dir / "sandbox" / country.code.lower())
    return sandbox


@asynccontextmanager
async def examining(settings: Settings, url: str) -> AsyncIterator[Kernel]:
    """Make a kernel that can look into the accounts of a database of this version: `url` is not prepared."""
    async with AsyncExitStack() as stack:
        yield await _kernel(stack, settings, url, _reached(settings))


async def _countries(stack: AsyncExitStack, settings: Settings) -> Registry:
    registry = discover()
    for broken in registry.broken:
        log.warning("country left out", distribution=broken.distribution, reason=str(broken.reason))
    if settings.einvoice_env is not EInvoiceEnvironment.SANDBOX:
        return registry
    ready = {code: await _sandboxed(stack, settings, country) for code, country in registry.countries.items()}
    return replace(registry, countries=MappingProxyType(ready))


async def _sandboxed(stack: AsyncExitStack, settings: Settings, country: CountryProvider) -> CountryProvider:
    """The country with its channels speaking to its own sandbox authority; without one it has no channels."""
    if country.sandbox is None:
        return replace(country, channels=())
    authority = _sandbox_of(settings, country)
    await _started(stack, authority)
    return replace(country, channels=tuple(channel.connect_sandbox(authority.access) for channel in country.channels))


async def _kernel(
    stack: AsyncExitStack,
    settings: Settings,
    url: str,
    countries: Registry,
    *,
    limit: timedelta | None = None,
    own_server: SupervisedServer | None = None,
    further: Services = NO_SERVICES,
) -> Kernel:
    """Make a kernel; without `limit`, its statements may take any time."""
    database = Database(url, Pooling(size=settings.database_pool, statement_limit=limit))
    stack.push_async_callback(database.close)
    secret = secret_key(settings)
    services: dict[type, object] = {
        Presence: Presence(url),
        ClockWatch: ClockWatch(database),
        Tokens: Tokens(secret),
        Passwords: Passwords(),
        Throttle: Throttle(active=settings.rate_limit is RateLimit.ON),
        Mailer: _mailer(settings),
        PageCache: PageCache(),
        SentRecords: SentRecords(settings.data_dir / "chains"),
        PdfPrinter: PdfPrinter(settings.data_dir / "cache" / "pdf"),
        ConfinedCalls: ConfinedCalls(),
        Stores: Stores(settings),
        Recogniser: Recogniser(idle_seconds=settings.ocr_idle_minutes * 60),
        SignedModeHooks: SignedMode(),
        ModelClient: ModelClient(settings),
        ExportDirectory: ExportDirectory(settings),
        WriteLog: ActivityEntries(),
        ApprovalDesk: Approvals(),
        ClientDocuments: ClientDocuments(),
        Life: Life(own_server, settings),
        Bots: Bots(settings),
        **further,
    }
    kernel = Kernel(settings=settings, secret=secret, database=database, countries=countries, services=services)
    services[Authenticator] = Authenticator(kernel)
    stack.push_async_callback(kernel.service(Authenticator).stop)
    services[Transmitter] = Transmitter(kernel)
    stack.push_async_callback(kernel.service(PdfPrinter).stop)
    stack.push_async_callback(kernel.service(ConfinedCalls).stop)
    stack.push_async_callback(kernel.service(ModelClient).stop)
    stack.push_async_callback(kernel.service(ClientDocuments).stop)
    stack.push_async_callback(kernel.service(Recogniser).stop)
    stack.push_async_callback(kernel.service(Bots).stop)
    log.info("ready", database=make_url(url).render_as_string(), countries=sorted(countries.countries))
    return kernel


def _mailer(settings: Settings) -> Mailer:
    try:
        return Mailer(settings)
    except UnfitValueError as error:
        raise Misconfigured(error.text) from None


async def _observed(stack: AsyncExitStack, settings: Settings) -> None:
    """Traces and the port of /metrics, before the database: a port that is taken is said at once."""
    await _started(stack, MetricsServer(settings))
    await stack.enter_async_context(tracing())


async def _measured(stack: AsyncExitStack, kernel: Kernel) -> None:
    if kernel.settings.metrics_port is not None:
        await _started(stack, StateMetrics(kernel))


async def _started(stack: AsyncExitStack, part: Any) -> None:
    await part.start()
    stack.push_async_callback(part.stop)
