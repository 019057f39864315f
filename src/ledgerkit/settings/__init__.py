"""Settings of an installation, errors of a start that cannot be, and files that nobody else may read."""

from ledgerkit.settings.server_settings import (
    MIN_SECRET_BYTES,
    EInvoiceEnvironment,
    LogFormat,
    LogLevel,
    RateLimit,
    Registration,
    Settings,
    VerifyEmail,
    WorkerMode,
    kept_secret_key,
    secret_key,
)

__all__ = [
    "MIN_SECRET_BYTES",
    "EInvoiceEnvironment",
    "LogFormat",
    "LogLevel",
    "RateLimit",
    "Registration",
    "Settings",
    "VerifyEmail",
    "WorkerMode",
    "kept_secret_key",
    "secret_key",
]
