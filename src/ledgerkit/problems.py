"""Problems of a request (RFC 9457): a kind for each HTTP status, a code for each reason, words to act on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, ClassVar

from ledgerkit.texts import ENGLISH, FixedText, Message, MessageId, ProblemText, Text, Wording, fixed, problem_text


class Code(StrEnum):
    """Stable, unversioned names of problems; clients compare these, never the texts."""

    VALIDATION_ERROR = "VALIDATION_ERROR"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    INVALID_CREDENTIALS = "INVALID_CREDENTIALS"
    FORBIDDEN_ROLE = "FORBIDDEN_ROLE"
    INSUFFICIENT_SCOPE = "INSUFFICIENT_SCOPE"
    ORIGIN_REFUSED = "ORIGIN_REFUSED"
    CSRF_REFUSED = "CSRF_REFUSED"
    NOT_TEAM_MEMBER = "NOT_TEAM_MEMBER"
    EMAIL_UNVERIFIED = "EMAIL_UNVERIFIED"
    PASSWORD_NEEDED = "PASSWORD_NEEDED"  # noqa: S105 - a code, not a secret
    REGISTRATION_CLOSED = "REGISTRATION_CLOSED"
    NOT_FOUND = "NOT_FOUND"
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED"
    HOST_UNKNOWN = "HOST_UNKNOWN"
    EMAIL_TAKEN = "EMAIL_TAKEN"
    NO_TEAM = "NO_TEAM"
    TEAM_EXISTS = "TEAM_EXISTS"
    TASK_NOT_IN_REVIEW = "TASK_NOT_IN_REVIEW"
    ASSIGNEE_NOT_MEMBER = "ASSIGNEE_NOT_MEMBER"
    ALREADY_MEMBER = "ALREADY_MEMBER"
    OWNER_PROTECTED = "OWNER_PROTECTED"
    USER_NOT_REGISTERED = "USER_NOT_REGISTERED"
    INVITATION_INVALID = "INVITATION_INVALID"
    LINK_INVALID = "LINK_INVALID"
    TEAM_HAS_MEMBERS = "TEAM_HAS_MEMBERS"
    EINVOICE_LIMIT = "EINVOICE_LIMIT"
    OUT_OF_TOKENS = "OUT_OF_TOKENS"
    AI_FAILED = "AI_FAILED"
    AI_BUSY = "AI_BUSY"
    AI_NOT_CONFIGURED = "AI_NOT_CONFIGURED"
    VENDOR_AMBIGUOUS = "VENDOR_AMBIGUOUS"
    VENDOR_EXISTS = "VENDOR_EXISTS"
    VENDOR_IN_USE = "VENDOR_IN_USE"
    NOT_DUPLICATES = "NOT_DUPLICATES"
    INVOICE_LOCKED = "INVOICE_LOCKED"
    INVOICE_ANNULLED = "INVOICE_ANNULLED"
    INVOICE_EXTERNAL = "INVOICE_EXTERNAL"
    PAYMENT_EXCEEDS_BALANCE = "PAYMENT_EXCEEDS_BALANCE"
    ISSUE_DATE_BEFORE_LAST = "ISSUE_DATE_BEFORE_LAST"
    ISSUER_INCOMPLETE = "ISSUER_INCOMPLETE"
    TAX_ID_INVALID = "TAX_ID_INVALID"
    SERIES_TAKEN = "SERIES_TAKEN"
    CLIENT_AMBIGUOUS = "CLIENT_AMBIGUOUS"
    CLIENT_CONFLICT = "CLIENT_CONFLICT"
    CLIENT_EXISTS = "CLIENT_EXISTS"
    TAX_RATE_UNKNOWN = "TAX_RATE_UNKNOWN"
    FISCAL_CHECK_FAILED = "FISCAL_CHECK_FAILED"
    EINVOICE_UNSUPPORTED = "EINVOICE_UNSUPPORTED"
    EINVOICING_OFF = "EINVOICING_OFF"
    EINVOICING_STARTED = "EINVOICING_STARTED"
    EINVOICING_OBLIGED = "EINVOICING_OBLIGED"
    CHAIN_BEGUN = "CHAIN_BEGUN"
    NOT_READY_FOR_PRODUCTION = "NOT_READY_FOR_PRODUCTION"
    CERTIFICATE_UNUSABLE = "CERTIFICATE_UNUSABLE"
    CERTIFICATE_OF_ANOTHER = "CERTIFICATE_OF_ANOTHER"
    CERTIFICATE_IN_USE = "CERTIFICATE_IN_USE"
    DECLARATION_INCOMPLETE = "DECLARATION_INCOMPLETE"
    DECLARATION_EXISTS = "DECLARATION_EXISTS"
    DECLARATION_UNSUPPORTED = "DECLARATION_UNSUPPORTED"
    DECLARATION_SUBMITTED = "DECLARATION_SUBMITTED"
    DECLARATION_ELSEWHERE = "DECLARATION_ELSEWHERE"
    DECLARATION_FILE_INCOMPLETE = "DECLARATION_FILE_INCOMPLETE"
    PROPOSAL_SUPERSEDED = "PROPOSAL_SUPERSEDED"
    ATTACHMENT_LIMIT = "ATTACHMENT_LIMIT"
    ATTACHMENT_SPACE = "ATTACHMENT_SPACE"
    ATTACHED_ALREADY = "ATTACHED_ALREADY"
    STORE_UNREACHABLE = "STORE_UNREACHABLE"
    INSUFFICIENT_STOCK = "INSUFFICIENT_STOCK"
    STOCK_NOT_ADJUSTABLE = "STOCK_NOT_ADJUSTABLE"
    NOT_EMITTED = "NOT_EMITTED"
    NOT_CORRECTABLE = "NOT_CORRECTABLE"
    NOT_ANNULLABLE = "NOT_ANNULLABLE"
    NUMBER_TAKEN = "NUMBER_TAKEN"
    AUTHORITY_REJECTED = "AUTHORITY_REJECTED"
    AUTHORITY_SILENT = "AUTHORITY_SILENT"
    REGISTER_ALREADY_OPEN = "REGISTER_ALREADY_OPEN"
    REGISTER_CLOSED = "REGISTER_CLOSED"
    REFUND_NEEDS_INVOICE = "REFUND_NEEDS_INVOICE"
    EMAIL_MISSING = "EMAIL_MISSING"
    MAIL_FAILED = "MAIL_FAILED"
    PDF_FAILED = "PDF_FAILED"
    PDF_TOO_LONG = "PDF_TOO_LONG"
    PDF_LIBRARIES_MISSING = "PDF_LIBRARIES_MISSING"
    DUPLICATE_SUPPLIER_INVOICE = "DUPLICATE_SUPPLIER_INVOICE"
    SUPPLIER_INVOICE_CANCELLED = "SUPPLIER_INVOICE_CANCELLED"
    NOT_CANCELLABLE = "NOT_CANCELLABLE"
    IDEMPOTENCY_CONFLICT = "IDEMPOTENCY_CONFLICT"
    REQUEST_IN_FLIGHT = "REQUEST_IN_FLIGHT"
    VERSION_MISMATCH = "VERSION_MISMATCH"
    APPROVAL_CHANGED = "APPROVAL_CHANGED"
    APPROVAL_DECIDED = "APPROVAL_DECIDED"
    APPROVAL_EXPIRED = "APPROVAL_EXPIRED"
    APPROVAL_OWN = "APPROVAL_OWN"
    APPROVAL_SUPERSEDED = "APPROVAL_SUPERSEDED"
    NOT_PROPOSABLE = "NOT_PROPOSABLE"
    CONFIRMATION_DECLINED = "CONFIRMATION_DECLINED"
    CONFIRMATION_EXPIRED = "CONFIRMATION_EXPIRED"
    CONFIRMATION_USED = "CONFIRMATION_USED"
    CONFIRMATION_MISMATCH = "CONFIRMATION_MISMATCH"
    CONFIRMATION_STALE = "CONFIRMATION_STALE"
    HEAD_TIMEOUT = "HEAD_TIMEOUT"
    HEAD_TOO_LARGE = "HEAD_TOO_LARGE"
    BODY_TIMEOUT = "BODY_TIMEOUT"
    BODY_TOO_LARGE = "BODY_TOO_LARGE"
    UNSUPPORTED_MEDIA_TYPE = "UNSUPPORTED_MEDIA_TYPE"
    RATE_LIMITED = "RATE_LIMITED"
    BUSY = "BUSY"
    DATABASE_UNAVAILABLE = "DATABASE_UNAVAILABLE"
    DATABASE_TIMEOUT = "DATABASE_TIMEOUT"
    CLOCK_WRONG = "CLOCK_WRONG"
    SERVER_BUSY = "SERVER_BUSY"
    STORAGE_FULL = "STORAGE_FULL"
    INTERNAL = "INTERNAL"


class ProblemsMsg(MessageId):
    BROKEN = "problems.broken"
    TITLE_HEAD_TOO_LARGE = "problems.title_head_too_large"
    TITLE_REQUEST_INVALID = "problems.title_request_invalid"
    TITLE_CREDENTIALS_INVALID = "problems.title_credentials_invalid"
    TITLE_LIMIT_REACHED = "problems.title_limit_reached"
    TITLE_ROLE_FORBIDS = "problems.title_role_forbids"
    TITLE_CREDENTIALS_FORBID = "problems.title_credentials_forbid"
    TITLE_ADDRESS_UNVERIFIED = "problems.title_address_unverified"
    TITLE_PASSWORD_NEEDED = "problems.title_password_needed"  # noqa: S105 - the id of a text
    TITLE_CSRF_REFUSED = "problems.title_csrf_refused"
    TITLE_ORIGIN_REFUSED = "problems.title_origin_refused"
    TITLE_NOT_FOUND = "problems.title_not_found"
    TITLE_METHOD_NOT_ALLOWED = "problems.title_method_not_allowed"
    TITLE_REQUEST_SLOW = "problems.title_request_slow"
    TITLE_CONFLICT = "problems.title_conflict"
    TITLE_RECORD_CHANGED = "problems.title_record_changed"
    TITLE_REQUEST_TOO_LARGE = "problems.title_request_too_large"
    TITLE_CONTENT_TYPE_UNSUPPORTED = "problems.title_content_type_unsupported"
    TITLE_HOST_UNKNOWN = "problems.title_host_unknown"
    TITLE_REJECTED_BY_AUTHORITY = "problems.title_rejected_by_authority"
    TITLE_TOO_MANY_REQUESTS = "problems.title_too_many_requests"
    TITLE_INTERNAL = "problems.title_internal"
    TITLE_OTHER_SERVER_REFUSED = "problems.title_other_server_refused"
    TITLE_UNAVAILABLE = "problems.title_unavailable"
    TITLE_STORAGE_FULL = "problems.title_storage_full"


@dataclass(frozen=True, kw_only=True)
class FieldError:
    """One field of the request and its fault; `field` is the wire path, such as `items[0].taxRate`."""

    field: str
    code: str
    text: ProblemText

    @classmethod
    def of(
        cls, field: str, code: str, message: MessageId, /, *, remedy: MessageId | Text | None = None, **values: object
    ) -> "FieldError":
        """Return an error with the texts of `message`, which may use `{field}` beside the values."""
        return cls(field=field, code=code, text=problem_text(message, {"field": field, **values}, remedy))

    @property
    def message(self) -> str:
        """Fault in English."""
        return self.text.wording().message

    @property
    def remedy(self) -> str | None:
        """Remedy in English; None where there is none."""
        return self.text.wording().remedy or None

    @property
    def translations(self) -> dict[str, Wording]:
        """Message and remedy by language; empty for an error that has English words only."""
        return self.text.translations()

    def body(self, language: str = ENGLISH) -> dict[str, object]:
        """Return the error for an answer: in `language` if it is translated, with all translations beside it."""
        wording = self.text.wording(language)
        body: dict[str, object] = {"field": self.field, "code": self.code, "message": wording.message}
        if wording.remedy:
            body["remedy"] = wording.remedy
        if self.text.languages:
            body["translations"] = _as_json(self.text)
        return body


def _as_json(text: ProblemText) -> dict[str, dict[str, str]]:
    return {language: asdict(wording) for language, wording in text.translations().items()}


def _from_json(stored: Mapping[str, Any], message: str) -> ProblemText:
    """Return the texts of a stored problem, or of one of its errors, whose English message is `message`."""
    translations = {language: Wording(**wording) for language, wording in (stored["translations"] or {}).items()}
    return fixed(message, stored["remedy"], translations)


class Problem(Exception):  # noqa: N818 - the field's word (problem details), and not every problem is an error of ours
    """A request that cannot be fulfilled, why, and what to do next.

    `Problem(ClientMsg.EXISTS, number=number)`: the message and its remedy (or another `remedy`) name the record, the
    reason and the next step, and are put into the reader's language when the answer is written. `extra` holds
    additional members of the answer (`requiredRoles`, `result`). Each kind fixes its HTTP status and title; the title
    is in the reader's language too (RFC 9457 §3.1.4).
    """

    status: ClassVar[int]
    title: ClassVar[MessageId]
    default_code: ClassVar[Code]
    is_result: bool = False
    """True if something was done nevertheless: the same idempotency key gets this answer again."""

    def __init__(
        self,
        text: MessageId | ProblemText,
        /,
        *,
        code: Code | None = None,
        remedy: MessageId | Text | None = None,
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, object] | None = None,
        **values: object,
    ) -> None:
        super().__init__(text)
        self.text = problem_text(text, values, remedy) if isinstance(text, MessageId) else text
        self.title_text: Text = Message(self.title)
        self.code = code or self.default_code
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.extra = dict(extra or {})

    def __str__(self) -> str:
        return self.detail

    @property
    def detail(self) -> str:
        """Fault in English: for logs."""
        return self.text.wording().message

    @property
    def remedy(self) -> str | None:
        """Remedy in English; None where there is none."""
        return self.text.wording().remedy or None

    @property
    def translations(self) -> dict[str, Wording]:
        """Detail and remedy by language; empty for a problem that has English words only."""
        return self.text.translations()

    def stored(self) -> dict[str, object]:
        """Return the problem as JSON, for `restored`. Headers belong to one answer and are not stored.

        The words are stored, not the ids: an answer is repeated as it was given, also by a later version.
        """
        errors = [
            {
                "field": error.field,
                "code": error.code,
                "message": error.message,
                "remedy": error.remedy,
                "translations": _as_json(error.text),
            }
            for error in self.errors
        ]
        return {
            "kind": type(self).__name__,
            "detail": self.detail,
            "code": self.code.value,
            "remedy": self.remedy,
            "errors": errors,
            "translations": _as_json(self.text),
            "titles": {language: self.title_text.in_language(language) for language in self.title_text.languages},
            "extra": self.extra,
        }

    @staticmethod
    def restored(stored: Mapping[str, Any]) -> "Problem":
        """Return the problem that `stored` describes."""
        kinds = {kind.__name__: kind for kind in _kinds_of(Problem)}
        errors = [
            FieldError(field=error["field"], code=error["code"], text=_from_json(error, error["message"]))
            for error in stored["errors"]
        ]
        text = _from_json(stored, stored["detail"])
        problem = kinds[stored["kind"]](text, code=Code(stored["code"]), errors=errors, extra=stored["extra"])
        if titles := stored.get("titles"):  # earlier versions stored none
            problem.title_text = FixedText(titles[ENGLISH], titles)
        return problem

    def body(
        self, *, instance: str | None = None, request_id: str | None = None, language: str = ENGLISH
    ) -> dict[str, object]:
        """Return the body of the answer, which is the same through REST (application/problem+json) and MCP."""
        wording = self.text.wording(language)
        return {
            "type": f"urn:ledgerkit:problem:{self.code.lower().replace('_', '-')}",
            "title": self.title_text.in_language(language),
            "status": self.status,
            "detail": wording.message,
            "instance": instance,
            "code": self.code.value,
            "error": wording.message,
            "errors": [error.body(language) for error in self.errors],
            "remedy": wording.remedy or None,
            "requestId": request_id,
            **self.extra,
        }


def _kinds_of(kind: type[Problem]) -> Iterator[type[Problem]]:
    for narrower in kind.__subclasses__():
        yield narrower
        yield from _kinds_of(narrower)


class Invalid(Problem):
    status, title, default_code = 400, ProblemsMsg.TITLE_REQUEST_INVALID, Code.VALIDATION_ERROR

    @classmethod
    def field(
        cls,
        field: str,
        text: MessageId | ProblemText,
        /,
        *,
        code: Code = Code.VALIDATION_ERROR,
        remedy: MessageId | Text | None = None,
        **values: object,
    ) -> "Invalid":
        """Return a problem with exactly one field of the request. Its texts may use `{field}` beside the values."""
        texts = problem_text(text, {"field": field, **values}, remedy) if isinstance(text, MessageId) else text
        return cls(texts.about(field), code=code, errors=[FieldError(field=field, code=code.value, text=texts)])


class Unauthenticated(Problem):
    status, title, default_code = 401, ProblemsMsg.TITLE_CREDENTIALS_INVALID, Code.UNAUTHENTICATED


class PaymentRequired(Problem):
    status, title, default_code = 402, ProblemsMsg.TITLE_LIMIT_REACHED, Code.EINVOICE_LIMIT


class Forbidden(Problem):
    status, title, default_code = 403, ProblemsMsg.TITLE_ROLE_FORBIDS, Code.FORBIDDEN_ROLE


class OutOfScope(Problem):
    """The credentials cover less than their holder may do (RFC 6750 §3.1, insufficient_scope)."""

    status, title, default_code = 403, ProblemsMsg.TITLE_CREDENTIALS_FORBID, Code.INSUFFICIENT_SCOPE


class AddressUnverified(Problem):
    status, title, default_code = 403, ProblemsMsg.TITLE_ADDRESS_UNVERIFIED, Code.EMAIL_UNVERIFIED


class PasswordNeeded(Problem):
    status, title, default_code = 403, ProblemsMsg.TITLE_PASSWORD_NEEDED, Code.PASSWORD_NEEDED


class CrossSiteRequest(Problem):
    """A request with a browser's cookie that no page of this server has proved to send."""

    status, title, default_code = 403, ProblemsMsg.TITLE_CSRF_REFUSED, Code.CSRF_REFUSED


class ForeignOrigin(Problem):
    """Request from a page of another site (DNS rebinding)."""

    status, title, default_code = 403, ProblemsMsg.TITLE_ORIGIN_REFUSED, Code.ORIGIN_REFUSED


class NotFound(Problem):
    status, title, default_code = 404, ProblemsMsg.TITLE_NOT_FOUND, Code.NOT_FOUND


class MethodNotAllowed(Problem):
    status, title, default_code = 405, ProblemsMsg.TITLE_METHOD_NOT_ALLOWED, Code.METHOD_NOT_ALLOWED


class RequestTimeout(Problem):
    """The caller did not send the request in time (RFC 9110 §15.5.9)."""

    status, title, default_code = 408, ProblemsMsg.TITLE_REQUEST_SLOW, Code.BODY_TIMEOUT


class Conflict(Problem):
    status, title, default_code = 409, ProblemsMsg.TITLE_CONFLICT, Code.IDEMPOTENCY_CONFLICT


class PreconditionFailed(Problem):
    status, title, default_code = 412, ProblemsMsg.TITLE_RECORD_CHANGED, Code.VERSION_MISMATCH


class TooLarge(Problem):
    status, title, default_code = 413, ProblemsMsg.TITLE_REQUEST_TOO_LARGE, Code.BODY_TOO_LARGE


class UnsupportedMediaType(Problem):
    status, title, default_code = 415, ProblemsMsg.TITLE_CONTENT_TYPE_UNSUPPORTED, Code.UNSUPPORTED_MEDIA_TYPE


class Misdirected(Problem):
    """Request for a host name that is not ours (RFC 9110 §15.5.20)."""

    status, title, default_code = 421, ProblemsMsg.TITLE_HOST_UNKNOWN, Code.HOST_UNKNOWN


class Rejected(Problem):
    """The fiscal authority refused the document; the only source of a 422."""

    status, title, default_code = 422, ProblemsMsg.TITLE_REJECTED_BY_AUTHORITY, Code.AUTHORITY_REJECTED


class HeadTooLarge(Problem):
    """Request with more headers than it may have (RFC 6585 §5)."""

    status, title, default_code = 431, ProblemsMsg.TITLE_HEAD_TOO_LARGE, Code.HEAD_TOO_LARGE


class RateLimited(Problem):
    status, title, default_code = 429, ProblemsMsg.TITLE_TOO_MANY_REQUESTS, Code.RATE_LIMITED


class Internal(Problem):
    status, title, default_code = 500, ProblemsMsg.TITLE_INTERNAL, Code.INTERNAL


class BadGateway(Problem):
    status, title, default_code = 502, ProblemsMsg.TITLE_OTHER_SERVER_REFUSED, Code.MAIL_FAILED


class Unavailable(Problem):
    status, title, default_code = 503, ProblemsMsg.TITLE_UNAVAILABLE, Code.DATABASE_UNAVAILABLE


class StorageFull(Unavailable):
    """No room on a disk (RFC 4918 §11.5)."""

    status, title, default_code = 507, ProblemsMsg.TITLE_STORAGE_FULL, Code.STORAGE_FULL


def broken() -> Internal:
    """Return the problem of our own mistake. Its cause is for the log only."""
    return Internal(ProblemsMsg.BROKEN)
