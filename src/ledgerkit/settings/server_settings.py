"""Every setting, its default and its unit, in one table: read once at start, then frozen."""

import re
import secrets
from enum import StrEnum
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ledgerkit.settings.messages import ServerMsg
from ledgerkit.settings.start_errors import Misconfigured
from ledgerkit.settings.values import UnfitValueError

MIN_SECRET_BYTES = 32


class Registration(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


class VerifyEmail(StrEnum):
    """Demand for a confirmed address before an invitation admits it; `auto` demands it where mail can be sent."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class RateLimit(StrEnum):
    ON = "on"
    OFF = "off"


class WorkerMode(StrEnum):
    """Place of background work: within `serve`, or in `ledgerkit worker` processes of its own."""

    IN_PROCESS = "in-process"
    APART = "apart"


class EInvoiceEnvironment(StrEnum):
    SANDBOX = "sandbox"
    TEST = "test"
    PRODUCTION = "production"


class LogFormat(StrEnum):
    CONSOLE = "console"
    JSON = "json"


class LogLevel(StrEnum):
    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"


class Settings(BaseSettings):
    """Environment variables with the prefix `LEDGERKIT_`, or lines of a `.env` file in the working directory."""

    model_config = SettingsConfigDict(
        env_prefix="LEDGERKIT_", env_file=".env", extra="ignore", frozen=True, env_ignore_empty=True
    )

    database_url: Annotated[
        SecretStr | None,
        Field(
            description="postgresql:// address of your own PostgreSQL (16 or later), as the role that owns the "
            "database; without it and LEDGERKIT_DATABASE_APP_URL the embedded one runs"
        ),
    ] = None
    database_app_url: Annotated[
        SecretStr | None,
        Field(
            description="The same database as the role that the server works as; default: the role `{database}_app`. "
            "Without a password in it, that is made from the secret key. Given alone, nothing is migrated"
        ),
    ] = None
    database_pool: Annotated[int, Field(ge=2, le=200, description="Connections kept to PostgreSQL, per process")] = 20
    statement_timeout: Annotated[
        float,
        Field(
            ge=1,
            le=600,
            description="Longest time of one database statement of a request, seconds; background work has 15 minutes",
        ),
    ] = 30.0
    ocr_idle_minutes: Annotated[
        int, Field(ge=1, le=1440, description="Minutes without a page after which the process that reads images ends")
    ] = 10
    data_dir: Annotated[
        Path, Field(description="Directory of the embedded database, secret key, mail files and caches")
    ] = Path("data")
    host: Annotated[str, Field(description="Address to listen on")] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, description="TCP port to listen on")] = 8000
    connections_per_address: Annotated[
        int,
        Field(
            ge=1,
            le=10_000,
            description="Open connections of one network address (of one /64 of IPv6); those of"
            " LEDGERKIT_FORWARDED_ALLOW_IPS are not bounded",
        ),
    ] = 100
    metrics_port: Annotated[
        int | None, Field(ge=0, le=65535, description="TCP port of /metrics, for Prometheus; without it there is none")
    ] = None
    metrics_host: Annotated[
        str, Field(description="Address of /metrics; whoever reaches it reads it, without credentials")
    ] = "127.0.0.1"
    base_url: Annotated[
        str | None, Field(description="Public address, as clients type it; default http://{host}:{port}")
    ] = None
    hsts_seconds: Annotated[
        int,
        Field(
            ge=0,
            description="How long browsers use nothing but HTTPS for the host of LEDGERKIT_BASE_URL (every port of it),"
            " where that is https, seconds; 0 makes them forget it",
        ),
    ] = 31_536_000
    secret_key: Annotated[
        SecretStr | None,
        Field(
            description=f"Key of sessions and API keys, at least {MIN_SECRET_BYTES} characters; "
            "made and kept in {data_dir}/secret.key (mode 0600) when absent"
        ),
    ] = None
    registration: Annotated[
        Registration, Field(description="`open` or `closed`: may strangers register? The invited always may")
    ] = Registration.OPEN
    verify_email: Annotated[
        VerifyEmail,
        Field(
            description="`auto`, `on` or `off`: must an address be confirmed by a mailed link before an invitation lets"
            " it in? `auto` demands it where LEDGERKIT_SMTP_URL is set"
        ),
    ] = VerifyEmail.AUTO
    invitation_limit: Annotated[
        int, Field(ge=-1, description="Invitations a day, over all teams of one owner, -1 = unlimited")
    ] = 50
    rate_limit: Annotated[RateLimit, Field(description="`on` or `off`: the guard against abuse")] = RateLimit.ON
    token_hours: Annotated[int, Field(ge=1, le=720, description="Life of a login token, hours")] = 24
    max_body_mib: Annotated[
        int,
        Field(ge=1, le=64, description="Largest request body of any operation, MiB; most take less, strangers 16 KiB"),
    ] = 16
    body_timeout: Annotated[
        float,
        Field(
            ge=0.1, le=600, description="Longest wait for a request's body, and 1 more for each 16 KiB of it, seconds"
        ),
    ] = 20.0
    export_space_mib: Annotated[
        int, Field(ge=16, description="Room in {data_dir}/exports for what people have exported, all together, MiB")
    ] = 4096
    attachments_url: Annotated[
        str | None,
        Field(
            description="s3://bucket/folder for the files of documents (needs the extra `s3`; credentials and region by"
            " AWS_* variables); without it they are in {data_dir}/attachments"
        ),
    ] = None
    attachment_max_mib: Annotated[int, Field(ge=1, le=10, description="Largest file of a document, MiB")] = 10
    attachments_per_document: Annotated[int, Field(ge=1, le=1000, description="Files that one document takes")] = 20
    attachment_space_mib: Annotated[
        int,
        Field(
            ge=-1,
            description="Room for the files of one account, MiB, with those kept for the law; -1 = unlimited",
        ),
    ] = 2048
    smtp_url: Annotated[
        SecretStr | None,
        Field(
            description="smtp://user:password@host:587 (STARTTLS) or smtps://host:465; "
            "without it mails are written as .eml files to {data_dir}/mail"
        ),
    ] = None
    mail_from: Annotated[str, Field(description="Sender address of all mail; replies go to the team's address")] = (
        "ledgerkit@localhost.localdomain"
    )
    mail_timeout: Annotated[int, Field(ge=1, le=300, description="Longest wait for the mail server, seconds")] = 20
    mail_limit: Annotated[
        int,
        Field(
            ge=-1,
            description="Invoices that one account mails a day through LEDGERKIT_SMTP_URL, -1 = unlimited; "
            "what exceeds it leaves the next day",
        ),
    ] = 500
    einvoice_env: Annotated[
        EInvoiceEnvironment,
        Field(description="`sandbox` (own loopback authority, no fiscal effect), `test` or `production`"),
    ] = EInvoiceEnvironment.SANDBOX
    einvoice_wait: Annotated[
        float,
        Field(ge=0, le=60, description="Longest wait of an emit request for the authority's answer, seconds"),
    ] = 5.0
    einvoice_timeout: Annotated[
        float,
        Field(ge=1, le=600, description="Longest wait for the authority's answer in the background, seconds"),
    ] = 120.0
    einvoice_limit: Annotated[int, Field(ge=-1, description="Emissions per account and month, -1 = unlimited")] = -1
    ai_monthly_actions: Annotated[
        int, Field(ge=-1, description="Free AI actions per account and month, -1 = unlimited")
    ] = 25
    ai_top_up_url: Annotated[
        str | None,
        Field(description="Page where people buy AI actions, shown to whoever has none left; without it none is named"),
    ] = None
    ai_base_url: Annotated[
        str | None,
        Field(
            description="Model server that speaks OpenAI's chat completions, as http://127.0.0.1:11434/v1; "
            "`/v1` is tried when it is left out, and without it no model is asked"
        ),
    ] = None
    ai_api_key: Annotated[
        SecretStr | None, Field(description="Key of the model server; servers of one's own need none")
    ] = None
    ai_model: Annotated[
        str | None, Field(description="Name of the model, one that reads images; without it the first that is offered")
    ] = None
    ai_transcription_model: Annotated[
        str | None,
        Field(
            description="Name of the model that hears voice notes of chats, by /audio/transcriptions of"
            " LEDGERKIT_AI_BASE_URL; without it they are not understood"
        ),
    ] = None
    ai_chat_turns: Annotated[
        int,
        Field(
            ge=-1,
            description="Messages of one account and day that the model answers in chats, where the built-in grammar"
            " does not understand them; 0 = none, -1 = unlimited",
        ),
    ] = 100
    ai_timeout: Annotated[
        int,
        Field(
            ge=1, le=150, description="Longest wait for a model's answer, all attempts of one request together, seconds"
        ),
    ] = 60
    ai_max_calls: Annotated[
        int, Field(ge=1, le=100, description="Calls to the model server at the same time, of each process")
    ] = 4
    telegram_token: Annotated[
        SecretStr | None, Field(description="Token of your bot, as BotFather gives it; without it there is no Telegram")
    ] = None
    telegram_api_base: Annotated[
        str, Field(description="Address of the Bot API: Telegram's own, or that of your own Bot API server")
    ] = "https://api.telegram.org"
    telegram_webhook_secret: Annotated[
        SecretStr | None,
        Field(
            description="Secret of 16 to 128 characters (letters, digits, `_`, `-`): Telegram then sends updates to"
            " {base_url}/messaging/telegram/...; without it they are fetched, which works behind any router"
        ),
    ] = None
    worker: Annotated[WorkerMode, Field(description="`in-process` or `apart` (`ledgerkit worker`)")] = (
        WorkerMode.IN_PROCESS
    )
    log_format: Annotated[LogFormat, Field(description="`console` or `json`")] = LogFormat.CONSOLE
    log_level: Annotated[LogLevel, Field(description="From which level on lines are logged")] = LogLevel.INFO
    forwarded_allow_ips: Annotated[
        str,
        Field(
            description="Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed: addresses and networks"
            " (CIDR), comma-separated; by default none",
            validation_alias=AliasChoices("LEDGERKIT_FORWARDED_ALLOW_IPS", "FORWARDED_ALLOW_IPS"),
        ),
    ] = ""

    @field_validator("database_url", "database_app_url")
    @classmethod
    def _asyncpg(cls, value: SecretStr | None) -> SecretStr | None:
        """Accept the forms that people paste (`postgres://`, `postgresql://`), and return the form for asyncpg."""
        if value is None:
            return None
        scheme, separator, address = value.get_secret_value().partition("://")
        if not separator or scheme not in {"postgres", "postgresql", "postgresql+asyncpg"}:
            raise UnfitValueError(ServerMsg.DATABASE_SCHEME)
        return SecretStr(f"postgresql+asyncpg://{address}")

    @field_validator("base_url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        """Accept an address that can stand before a path: every mailed link begins with it."""
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            fits = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:  # no port, or no IPv6 address
            fits = False
        if not fits or parts.username is not None or re.search(r"[?#\s]", value):
            raise UnfitValueError(ServerMsg.BASE_URL)
        return value

    @field_validator("telegram_api_base")
    @classmethod
    def _bot_api(cls, value: str) -> str:
        """Accept the address of a Bot API without a trailing slash."""
        if not re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", value):
            raise UnfitValueError(ServerMsg.TELEGRAM_API_BASE)
        return value.rstrip("/")

    @field_validator("telegram_webhook_secret")
    @classmethod
    def _secret_of_webhook(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not re.fullmatch(r"[A-Za-z0-9_-]{16,128}", value.get_secret_value()):
            raise UnfitValueError(ServerMsg.TELEGRAM_WEBHOOK_SECRET)
        return value

    @field_validator("attachments_url")
    @classmethod
    def _object_store(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[\w./-]*)?", value):
            raise UnfitValueError(ServerMsg.ATTACHMENTS_URL)
        return value

    @field_validator("mail_limit")
    @classmethod
    def _some_mails(cls, value: int) -> int:
        """Refuse 0: what exceeds the limit waits for a day on which it may leave, and there would be none."""
        if value == 0:
            raise UnfitValueError(ServerMsg.MAIL_LIMIT_ZERO)
        return value

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value().encode()) < MIN_SECRET_BYTES:
            raise UnfitValueError(ServerMsg.SECRET_TOO_SHORT, least=MIN_SECRET_BYTES)
        return value

    @field_validator("forwarded_allow_ips")
    @classmethod
    def _proxies(cls, value: str) -> str:
        """Accept addresses and networks, but not all addresses: anybody could then invent the headers of a proxy."""
        for proxy in filter(None, map(str.strip, value.split(","))):
            try:
                network = ip_network(proxy)
            except ValueError:
                raise UnfitValueError(ServerMsg.PROXY_MALFORMED, proxy=repr(proxy)) from None
            if network.prefixlen == 0:
                raise UnfitValueError(ServerMsg.PROXY_EVERYBODY, proxy=repr(proxy))
        return value

    @property
    def demands_verified_email(self) -> bool:
        """Return True when an address must have been confirmed before an invitation lets it in."""
        if self.verify_email is VerifyEmail.AUTO:
            return self.smtp_url is not None
        return self.verify_email is VerifyEmail.ON

    @property
    def public_url(self) -> str:
        """Address that clients use, without a trailing slash."""
        return (self.base_url or f"http://{self.host}:{self.port}").rstrip("/")

    @property
    def is_loopback(self) -> bool:
        """Return True when the public address opens the server on its own machine only: nobody else gets it."""
        host = urlsplit(self.public_url).hostname or ""
        try:
            address = ip_address(host)
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")
        return address.is_loopback or address.is_unspecified

    @property
    def is_https(self) -> bool:
        """Return True when clients reach the server by HTTPS: then its cookies are sent over nothing else."""
        return self.public_url.lower().startswith("https:")


def secret_key(settings: Settings) -> bytes:
    """Return the configured key, or the one stored in the data directory, made on first use (mode 0600)."""
    key = kept_secret_key(settings)
    if key is None:
        path = settings.data_dir / "secret.key"
        _write_key(path)
        return _read_key(path)
    return key


def kept_secret_key(settings: Settings) -> bytes | None:
    """Return the secret key without making one; None where there is none yet. Raises Misconfigured for a short one."""
    if settings.secret_key is not None:
        return settings.secret_key.get_secret_value().encode()
    try:
        return _read_key(settings.data_dir / "secret.key")
    except FileNotFoundError:
        return None


def _read_key(path: Path) -> bytes:
    key = path.read_bytes().strip()
    if len(key) < MIN_SECRET_BYTES:
        raise Misconfigured(ServerMsg.SECRET_KEY_TOO_SHORT, path=path, min_secret_bytes=MIN_SECRET_BYTES)
    return key


def _write_key(path: Path) -> None:
    """Write a new key, whole or not at all, and never over a key that another process has just written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"secret.{secrets.token_hex(8)}.tmp")
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_urlsafe(48))
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
