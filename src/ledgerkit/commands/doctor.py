"""`ledgerkit doctor`: what a start and the work need, a line for each, and what to do about what is missing."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack

import typer

from ledgerkit import __version__
from ledgerkit.commands.configuring import SettingFault, checked
from ledgerkit.commands.examining import clocks, einvoicing, machine, messengers
from ledgerkit.commands.examining.findings import Finding, Weight, good, missing, of_problem
from ledgerkit.commands.examining.messages import DoctorMsg
from ledgerkit.commands.examining.services import database, mail
from ledgerkit.commands.language import operators_language
from ledgerkit.commands.running import NOT_RIGHT, run
from ledgerkit.core.sales.invoices.pdf import missing_requirements
from ledgerkit.problems import Problem
from ledgerkit.providers.api import Environment
from ledgerkit.providers.registry import discover
from ledgerkit.runtime import examining
from ledgerkit.settings import LogLevel, Settings, kept_secret_key
from ledgerkit.telemetry import logs
from ledgerkit.telemetry.tracing import lacking


def doctor() -> None:
    """Say what this installation lacks, and what to do.

    Looks at the settings, the machine, the database, mail, messengers and e-invoicing, and changes
    nothing. Ends with 1 when something is missing without which the server does not start or does not do
    its work.
    """
    typer.echo(f"ledgerkit {__version__}, Python {sys.version.split()[0]}")
    settings, faults = checked()
    report = _Report()
    report.all(_of_settings(faults))
    if settings is not None:
        logs.configure(settings.model_copy(update={"log_level": LogLevel.WARNING}))
        run(_examined(settings, report, readable=not any(fault.ends for fault in faults)))
    if report.lacking:
        _say(missing(DoctorMsg.MISSING_IN_ALL, count=report.lacking))
        raise typer.Exit(NOT_RIGHT)
    _say(good(DoctorMsg.NOTHING_MISSING))


class _Report:
    """Printer of findings, which counts those that something is missing."""

    def __init__(self) -> None:
        self.lacking = 0

    def all(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            _say(finding)
            self.lacking += finding.weight is Weight.MISSING


async def _examined(settings: Settings, report: _Report, *, readable: bool) -> None:
    """Check everything after the settings themselves; e-invoicing only where its settings are `readable`."""
    report.all(machine.other_distribution())
    report.all(machine.data_directory(settings))
    report.all(machine.secret_key(settings))
    report.all([machine.port(settings), machine.public_address(settings)])
    report.all(await machine.metrics(settings))
    report.all(machine.traces(lacking()))
    report.all(machine.pdf_libraries(missing_requirements()))
    async with AsyncExitStack() as stack:
        findings, url = await database(stack, settings)
        report.all(findings)
        report.all(await mail(settings))
        report.all(await messengers.reached(settings))
        if readable:
            await _einvoicing(settings, url, report)


async def _einvoicing(settings: Settings, url: str | None, report: _Report) -> None:
    environment, registry = Environment(settings.einvoice_env.value), discover()
    report.all(einvoicing.of_operator(registry, environment))
    if url is None or kept_secret_key(settings) is None:
        report.all([authority async for authority in clocks.of_authorities(registry, environment, None)])
        report.all(einvoicing.without_issuers(registry, environment))
        return
    async with examining(settings, url) as kernel:
        report.all([await clocks.of_database(kernel)])
        report.all(await messengers.served(kernel))
        try:
            report.all([authority async for authority in clocks.of_authorities(registry, environment, kernel)])
            report.all(await einvoicing.of_trials(kernel))
            report.all([issuer async for issuer in einvoicing.of_issuers(kernel)])
        except Problem as problem:
            report.all([of_problem(DoctorMsg.ACCOUNTS, problem)])


def _of_settings(faults: list[SettingFault]) -> Iterator[Finding]:
    for fault in faults:
        yield Finding(Weight.MISSING if fault.ends else Weight.ADVISED, fault.text)
    if not faults:
        yield good(DoctorMsg.SETTINGS_GOOD)


def _say(finding: Finding) -> None:
    typer.echo(finding.line(operators_language()))
