"""What can go wrong, in words a caller can act on (RFC 9457)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, ClassVar, TypeVar

ENGLISH = "en"
"""The language of everything that is said here, unless a problem brings translations and the caller prefers one."""

Words = tuple[str, str]
"""What is wrong, and what to do about it."""


class Code(StrEnum):
    """Stable, unversioned names of problems; clients compare these, never the texts."""

    VALIDATION_ERROR = "VALIDATION_ERROR"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    INVALID_CREDENTIALS = "INVALID_CREDENTIALS"
    FORBIDDEN_ROLE = "FORBIDDEN_ROLE"
    ORIGIN_REFUSED = "ORIGIN_REFUSED"
    NOT_TEAM_MEMBER = "NOT_TEAM_MEMBER"
    REGISTRATION_CLOSED = "REGISTRATION_CLOSED"
    NOT_FOUND = "NOT_FOUND"
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED"
    HOST_UNKNOWN = "HOST_UNKNOWN"
    EMAIL_TAKEN = "EMAIL_TAKEN"
    NO_TEAM = "NO_TEAM"
    TASK_NOT_IN_REVIEW = "TASK_NOT_IN_REVIEW"
    ASSIGNEE_NOT_MEMBER = "ASSIGNEE_NOT_MEMBER"
    ALREADY_MEMBER = "ALREADY_MEMBER"
    OWNER_PROTECTED = "OWNER_PROTECTED"
    USER_NOT_REGISTERED = "USER_NOT_REGISTERED"
    INVITATION_INVALID = "INVITATION_INVALID"
    LINK_INVALID = "LINK_INVALID"
    TEAM_HAS_MEMBERS = "TEAM_HAS_MEMBERS"
    EINVOICE_LIMIT = "EINVOICE_LIMIT"
    VENDOR_EXISTS = "VENDOR_EXISTS"
    VENDOR_IN_USE = "VENDOR_IN_USE"
    INVOICE_LOCKED = "INVOICE_LOCKED"
    INVOICE_ANNULLED = "INVOICE_ANNULLED"
    PAYMENT_EXCEEDS_BALANCE = "PAYMENT_EXCEEDS_BALANCE"
    ISSUE_DATE_BEFORE_LAST = "ISSUE_DATE_BEFORE_LAST"
    ISSUER_INCOMPLETE = "ISSUER_INCOMPLETE"
    TAX_ID_INVALID = "TAX_ID_INVALID"
    CLIENT_CONFLICT = "CLIENT_CONFLICT"
    TAX_RATE_UNKNOWN = "TAX_RATE_UNKNOWN"
    FISCAL_CHECK_FAILED = "FISCAL_CHECK_FAILED"
    EINVOICE_UNSUPPORTED = "EINVOICE_UNSUPPORTED"
    EINVOICING_OFF = "EINVOICING_OFF"
    EINVOICING_STARTED = "EINVOICING_STARTED"
    CHAIN_BEGUN = "CHAIN_BEGUN"
    CERTIFICATE_UNUSABLE = "CERTIFICATE_UNUSABLE"
    CERTIFICATE_OF_ANOTHER = "CERTIFICATE_OF_ANOTHER"
    CERTIFICATE_IN_USE = "CERTIFICATE_IN_USE"
    DECLARATION_INCOMPLETE = "DECLARATION_INCOMPLETE"
    INSUFFICIENT_STOCK = "INSUFFICIENT_STOCK"
    STOCK_NOT_ADJUSTABLE = "STOCK_NOT_ADJUSTABLE"
    NOT_EMITTED = "NOT_EMITTED"
    NOT_CORRECTABLE = "NOT_CORRECTABLE"
    NOT_ANNULLABLE = "NOT_ANNULLABLE"
    AUTHORITY_REJECTED = "AUTHORITY_REJECTED"
    AUTHORITY_SILENT = "AUTHORITY_SILENT"
    REGISTER_ALREADY_OPEN = "REGISTER_ALREADY_OPEN"
    REGISTER_CLOSED = "REGISTER_CLOSED"
    EMAIL_MISSING = "EMAIL_MISSING"
    MAIL_FAILED = "MAIL_FAILED"
    PDF_FAILED = "PDF_FAILED"
    PDF_TOO_LONG = "PDF_TOO_LONG"
    PDF_LIBRARIES_MISSING = "PDF_LIBRARIES_MISSING"
    DUPLICATE_SUPPLIER_INVOICE = "DUPLICATE_SUPPLIER_INVOICE"
    SUPPLIER_INVOICE_CANCELLED = "SUPPLIER_INVOICE_CANCELLED"
    NOT_CANCELLABLE = "NOT_CANCELLABLE"
    IDEMPOTENCY_CONFLICT = "IDEMPOTENCY_CONFLICT"
    VERSION_MISMATCH = "VERSION_MISMATCH"
    BODY_TIMEOUT = "BODY_TIMEOUT"
    BODY_TOO_LARGE = "BODY_TOO_LARGE"
    UNSUPPORTED_MEDIA_TYPE = "UNSUPPORTED_MEDIA_TYPE"
    RATE_LIMITED = "RATE_LIMITED"
    BUSY = "BUSY"
    DATABASE_UNAVAILABLE = "DATABASE_UNAVAILABLE"
    SERVER_BUSY = "SERVER_BUSY"
    STORAGE_FULL = "STORAGE_FULL"
    INTERNAL = "INTERNAL"
    NOT_BUILT = "NOT_BUILT"


@dataclass(frozen=True, kw_only=True)
class Wording:
    """What is wrong and what to do about it, in one language."""

    message: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class FieldError:
    """One field of the request and what is wrong with it; `field` is the wire path, as `items[0].taxRate`.

    `translations`, by language, are given where whoever must act may not read English.
    """

    field: str
    code: str
    message: str
    remedy: str | None = None
    translations: Mapping[str, Wording] | None = None

    def body(self, language: str = ENGLISH) -> dict[str, object]:
        """As it is answered, in `language` where it is translated; without what it does not have."""
        said = (self.translations or {}).get(language)
        message, remedy = (said.message, said.remedy) if said else (self.message, self.remedy)
        body: dict[str, object] = {"field": self.field, "code": self.code, "message": message}
        if remedy is not None:
            body["remedy"] = remedy
        if self.translations:
            body["translations"] = _told(self.translations)
        return body


def both(english: Words, spanish: Words) -> dict[str, Wording]:
    """The same in English and in Spanish, as `translations`."""
    said = ((ENGLISH, english), ("es", spanish))
    return {language: Wording(message=message, remedy=remedy) for language, (message, remedy) in said}


def bilingual_error(field: str, code: str, english: Words, spanish: Words) -> FieldError:
    """What is wrong with a field, in English with its translations."""
    return FieldError(
        field=field, code=code, message=english[0], remedy=english[1], translations=both(english, spanish)
    )


def _told(translations: Mapping[str, Wording] | None) -> dict[str, dict[str, str]]:
    return {language: asdict(said) for language, said in (translations or {}).items()}


def _heard(told: Mapping[str, Any]) -> dict[str, Wording]:
    return {language: Wording(**said) for language, said in told.items()}


class Problem(Exception):  # noqa: N818 - the field's word (problem details), and not every problem is an error of ours
    """A request that cannot be fulfilled, why, and what to do next.

    `detail` names the record and the reason, `remedy` the next step; `extra` holds additional members of the
    answer (`requiredRoles`, `result`); `translations` are detail and remedy in other languages. Each kind fixes its
    HTTP status and title.
    """

    status: ClassVar[int]
    title: ClassVar[str]
    default_code: ClassVar[Code]

    def __init__(
        self,
        detail: str,
        *,
        code: Code | None = None,
        remedy: str | None = None,
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        translations: Mapping[str, Wording] | None = None,
        **extra: object,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or self.default_code
        self.remedy = remedy
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.translations = dict(translations or {})
        self.extra = extra

    def stored(self) -> dict[str, object]:
        """What `restored` makes the same problem of, as JSON. Headers are those of one answer, and are not kept."""
        errors = [{**vars(error), "translations": _told(error.translations)} for error in self.errors]
        told = {"detail": self.detail, "code": self.code.value, "remedy": self.remedy, "errors": errors}
        return {"kind": type(self).__name__, **told, "translations": _told(self.translations), "extra": self.extra}

    @staticmethod
    def restored(stored: Mapping[str, Any]) -> "Problem":
        """The problem that `stored` was made of."""
        kinds = {kind.__name__: kind for kind in Problem.__subclasses__()}
        errors = [FieldError(**{**error, "translations": _heard(error["translations"])}) for error in stored["errors"]]
        return kinds[stored["kind"]](
            stored["detail"],
            code=Code(stored["code"]),
            remedy=stored["remedy"],
            errors=errors,
            translations=_heard(stored["translations"]),
            **stored["extra"],
        )

    def body(
        self, *, instance: str | None = None, request_id: str | None = None, language: str = ENGLISH
    ) -> dict[str, object]:
        """The answer's body: the same through REST (application/problem+json) and MCP."""
        said = self.translations.get(language)
        detail, remedy = (said.message, said.remedy) if said else (self.detail, self.remedy)
        return {
            "type": f"urn:ledgerkit:problem:{self.code.lower().replace('_', '-')}",
            "title": self.title,
            "status": self.status,
            "detail": detail,
            "instance": instance,
            "code": self.code.value,
            "error": detail,
            "errors": [error.body(language) for error in self.errors],
            "remedy": remedy,
            "requestId": request_id,
            **self.extra,
        }


class Invalid(Problem):
    status, title, default_code = 400, "The request is not valid", Code.VALIDATION_ERROR

    @classmethod
    def field(
        cls,
        field: str,
        message: str,
        *,
        code: Code = Code.VALIDATION_ERROR,
        remedy: str | None = None,
        translations: Mapping[str, Wording] | None = None,
    ) -> "Invalid":
        """A problem with exactly one field of the request; `translations` of message and remedy."""
        error = FieldError(field=field, code=code.value, message=message, translations=translations)
        whole = {
            language: Wording(message=f"{field}: {said.message}", remedy=said.remedy)
            for language, said in (translations or {}).items()
        }
        remedy = remedy or f"Correct {field}."
        return cls(f"{field}: {message}", code=code, remedy=remedy, errors=[error], translations=whole)


class Unauthenticated(Problem):
    status, title, default_code = 401, "Credentials are missing or not valid", Code.UNAUTHENTICATED


class PaymentRequired(Problem):
    status, title, default_code = 402, "The plan's limit is reached", Code.EINVOICE_LIMIT


class Forbidden(Problem):
    status, title, default_code = 403, "Your role does not allow this", Code.FORBIDDEN_ROLE


class ForeignOrigin(Problem):
    """A page of another site asks (DNS rebinding)."""

    status, title, default_code = 403, "Pages of other sites may not ask here", Code.ORIGIN_REFUSED


class NotFound(Problem):
    status, title, default_code = 404, "Not found", Code.NOT_FOUND


class MethodNotAllowed(Problem):
    status, title, default_code = 405, "Method not allowed", Code.METHOD_NOT_ALLOWED


class RequestTimeout(Problem):
    """The caller did not send the request in time (RFC 9110 §15.5.9)."""

    status, title, default_code = 408, "The request came too slowly", Code.BODY_TIMEOUT


class Conflict(Problem):
    status, title, default_code = 409, "Conflict", Code.IDEMPOTENCY_CONFLICT


class PreconditionFailed(Problem):
    status, title, default_code = 412, "The record has changed", Code.VERSION_MISMATCH


class TooLarge(Problem):
    status, title, default_code = 413, "The request is too large", Code.BODY_TOO_LARGE


class UnsupportedMediaType(Problem):
    status, title, default_code = 415, "Unsupported content type", Code.UNSUPPORTED_MEDIA_TYPE


class Misdirected(Problem):
    """Asked under a name that is not ours (RFC 9110 §15.5.20)."""

    status, title, default_code = 421, "This server has another name", Code.HOST_UNKNOWN


class Rejected(Problem):
    """The fiscal authority refused the document; the only source of a 422."""

    status, title, default_code = 422, "The fiscal authority rejected the document", Code.AUTHORITY_REJECTED


class RateLimited(Problem):
    status, title, default_code = 429, "Too many requests", Code.RATE_LIMITED


class Internal(Problem):
    status, title, default_code = 500, "Internal error", Code.INTERNAL


class NotBuilt(Problem):
    status, title, default_code = 501, "Not built yet", Code.NOT_BUILT


class BadGateway(Problem):
    status, title, default_code = 502, "Another server refused", Code.MAIL_FAILED


class Unavailable(Problem):
    status, title, default_code = 503, "Temporarily unavailable", Code.DATABASE_UNAVAILABLE


class StorageFull(Unavailable):
    """No room on a disk (RFC 4918 §11.5)."""

    status, title, default_code = 507, "There is no room on the server's disk", Code.STORAGE_FULL


Kind = TypeVar("Kind", bound=Problem)


def bilingual(
    kind: type[Kind],
    english: Words,
    spanish: Words,
    *,
    code: Code | None = None,
    errors: Sequence[FieldError] = (),
    headers: Mapping[str, str] | None = None,
    **extra: object,
) -> Kind:
    """The problem in English, with its translations."""
    said, (detail, remedy) = both(english, spanish), english
    return kind(detail, code=code, remedy=remedy, errors=errors, headers=headers, translations=said, **extra)


def bilingual_field(field: str, english: Words, spanish: Words, *, code: Code = Code.VALIDATION_ERROR) -> Invalid:
    """The same of exactly one field of the request."""
    message, remedy = english
    return Invalid.field(field, message, code=code, remedy=remedy, translations=both(english, spanish))


def broken() -> Internal:
    """A mistake of ours, told without its cause: that is for the log."""
    return bilingual(
        Internal,
        ("Something went wrong on our side.", "Report it with the requestId; the server's log has the rest."),
        ("Algo ha fallado por nuestra parte.", "Comunícalo con el requestId; el resto está en el log del servidor."),
    )
