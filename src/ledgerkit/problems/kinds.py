"""The kinds of problems, each with its HTTP status and its title."""

from ledgerkit.problems.codes import Code
from ledgerkit.problems.messages import ProblemsMsg
from ledgerkit.problems.problem import FieldError, Problem
from ledgerkit.texts import MessageId, ProblemText, Text, problem_text


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
        """A problem with exactly one field of the request. Its texts may use `{field}` beside the values."""
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
    """A page of another site asks (DNS rebinding)."""

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
    """Asked under a name that is not ours (RFC 9110 §15.5.20)."""

    status, title, default_code = 421, ProblemsMsg.TITLE_HOST_UNKNOWN, Code.HOST_UNKNOWN


class Rejected(Problem):
    """The fiscal authority refused the document; the only source of a 422."""

    status, title, default_code = 422, ProblemsMsg.TITLE_REJECTED_BY_AUTHORITY, Code.AUTHORITY_REJECTED


class HeadTooLarge(Problem):
    """More headers than a request may have (RFC 6585 §5)."""

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
    """A mistake of ours, told without its cause: that is for the log."""
    return Internal(ProblemsMsg.BROKEN)
