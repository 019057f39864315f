"""Logs of the process: one line per event, for people or for machines."""

import logging
import sys

import structlog

from ledgerkit.settings import LogFormat, Settings

_QUIET = ("httpx2", "httpcore2", "mcp", "alembic", "fontTools", "weasyprint", "uvicorn.access")


def configure(settings: Settings) -> None:
    """Write the lines of structlog and of all libraries to stderr, by one handler."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    console = settings.log_format is LogFormat.CONSOLE
    # Plain tracebacks: the fancy ones print local variables, and those hold clients' data and secrets.
    plain = structlog.dev.plain_traceback
    people = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)
    renderer: structlog.typing.Processor = people if console else structlog.processors.JSONRenderer()
    last: list[structlog.typing.Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if not console:
        last.append(structlog.processors.format_exc_info)
    handler = logging.StreamHandler(sys.stderr)
    formatter = structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[*last, renderer])
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[settings.log_level]),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
