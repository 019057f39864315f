"""The problems of single operations, beyond those that every operation of their form can answer with."""

from collections.abc import Mapping, Sequence

from ledgerkit.problems import Code

Answer = tuple[int, set[Code]]

_EMITTING: Sequence[Answer] = (
    (
        400,
        {
            Code.ISSUE_DATE_BEFORE_LAST,
            Code.ISSUER_INCOMPLETE,
            Code.TAX_ID_INVALID,
            Code.FISCAL_CHECK_FAILED,
            Code.EINVOICE_UNSUPPORTED,
            Code.EINVOICING_OFF,
            Code.NOT_EMITTED,
            Code.NOT_CORRECTABLE,
            Code.INVOICE_ANNULLED,
        },
    ),
    (402, {Code.EINVOICE_LIMIT}),
    (404, {Code.NOT_FOUND}),
    (422, {Code.AUTHORITY_REJECTED}),
)
_NUMBERING: Sequence[Answer] = (
    (400, {Code.ISSUE_DATE_BEFORE_LAST, Code.FISCAL_CHECK_FAILED, Code.INVOICE_ANNULLED}),
    (400, {Code.EINVOICE_UNSUPPORTED, Code.ISSUER_INCOMPLETE}),
    (402, {Code.EINVOICE_LIMIT}),
)
_PRINTING: Sequence[Answer] = (
    (400, {Code.PDF_TOO_LONG}),
    (502, {Code.PDF_FAILED}),
    (503, {Code.PDF_FAILED, Code.PDF_LIBRARIES_MISSING}),
)
_DRAFTING: Answer = (
    400,
    {Code.TAX_ID_INVALID, Code.CLIENT_CONFLICT, Code.TAX_RATE_UNKNOWN, Code.INVOICE_ANNULLED},
)
_NAMING_RECORDS: Sequence[Answer] = ((404, {Code.NOT_FOUND}),)
_ADJUSTING: Sequence[Answer] = ((400, {Code.INSUFFICIENT_STOCK, Code.STOCK_NOT_ADJUSTABLE}),)

_GUARDED: Sequence[Answer] = ((429, {Code.RATE_LIMITED}), (503, {Code.BUSY}))
"""Wherever a password is hashed."""

OF_ONE: Mapping[str, Sequence[Answer]] = {
    "POST /auth/register": (
        (400, {Code.EMAIL_TAKEN, Code.INVITATION_INVALID}),
        (403, {Code.REGISTRATION_CLOSED}),
        (409, {Code.IDEMPOTENCY_CONFLICT}),
        *_GUARDED,
    ),
    "POST /auth/login": (
        (400, {Code.INVITATION_INVALID}),
        (401, {Code.INVALID_CREDENTIALS}),
        *_GUARDED,
    ),
    "POST /auth/password": ((400, {Code.INVALID_CREDENTIALS}), *_GUARDED),
    "POST /auth/password/forgot": ((429, {Code.RATE_LIMITED}),),
    "POST /auth/password/reset": ((400, {Code.LINK_INVALID}), *_GUARDED),
    "POST /auth/verify": ((400, {Code.LINK_INVALID, Code.INVALID_CREDENTIALS}), *_GUARDED),
    "GET /auth/export/download": ((404, {Code.NOT_FOUND}),),
    "DELETE /auth/me": ((400, {Code.INVALID_CREDENTIALS}), (409, {Code.TEAM_HAS_MEMBERS}), *_GUARDED),
    "POST /api/invoices": (_DRAFTING, *_NAMING_RECORDS),
    "POST /api/invoices/preview": (_DRAFTING, *_NAMING_RECORDS),
    "PUT /api/invoices/{id}": (
        (400, {Code.TAX_ID_INVALID, Code.TAX_RATE_UNKNOWN, Code.INVOICE_LOCKED, Code.ISSUE_DATE_BEFORE_LAST}),
        (400, {Code.CLIENT_CONFLICT, Code.INVOICE_ANNULLED}),
    ),
    "DELETE /api/invoices/{id}": ((400, {Code.INVOICE_LOCKED}),),
    "PATCH /api/invoices/{id}/pay": (*_NUMBERING, (400, {Code.PAYMENT_EXCEEDS_BALANCE})),
    "PATCH /api/invoices/{id}/send": (
        *_NUMBERING,
        (400, {Code.EMAIL_MISSING}),
        *_PRINTING,
        (502, {Code.MAIL_FAILED}),
    ),
    "GET /api/invoices/{id}/pdf": _PRINTING,
    "GET /api/invoices/activity/feed": ((400, {Code.NO_TEAM}),),
    "POST /api/clients": ((400, {Code.TAX_ID_INVALID}),),
    "PUT /api/clients/{id}": ((400, {Code.TAX_ID_INVALID}),),
    "POST /api/vendors": ((400, {Code.TAX_ID_INVALID}), (409, {Code.VENDOR_EXISTS})),
    "PUT /api/vendors/{id}": ((400, {Code.TAX_ID_INVALID, Code.VENDOR_EXISTS}),),
    "DELETE /api/vendors/{id}": ((400, {Code.VENDOR_IN_USE}),),
    "POST /api/expenses": ((400, {Code.TAX_ID_INVALID}), *_NAMING_RECORDS),
    "PUT /api/expenses/{id}": ((400, {Code.TAX_ID_INVALID}),),
    "POST /api/supplier-invoices": ((409, {Code.DUPLICATE_SUPPLIER_INVOICE}), *_NAMING_RECORDS),
    "POST /api/supplier-invoices/{id}/payments": (
        (400, {Code.PAYMENT_EXCEEDS_BALANCE, Code.SUPPLIER_INVOICE_CANCELLED}),
    ),
    "PUT /api/supplier-invoices/{id}/cancel": ((400, {Code.NOT_CANCELLABLE}),),
    "POST /api/catalog": ((400, {Code.INSUFFICIENT_STOCK}),),
    "PUT /api/catalog/{id}": ((400, {Code.INSUFFICIENT_STOCK}),),
    "PATCH /api/catalog/{id}/stock": _ADJUSTING,
    "PATCH /api/catalog/{id}/variant-stock": _ADJUSTING,
    "POST /api/catalog/bulk-stock": _ADJUSTING,
    "POST /api/tasks": ((400, {Code.ASSIGNEE_NOT_MEMBER}), *_NAMING_RECORDS),
    "PUT /api/tasks/{id}": ((400, {Code.ASSIGNEE_NOT_MEMBER}),),
    "PATCH /api/tasks/{id}/assign": ((400, {Code.ASSIGNEE_NOT_MEMBER}),),
    "PATCH /api/tasks/{id}/complete": ((400, {Code.TASK_NOT_IN_REVIEW}),),
    "POST /api/cash-register": ((409, {Code.REGISTER_ALREADY_OPEN}),),
    "POST /api/cash-register/{id}/movement": (
        *_NUMBERING,
        (400, {Code.REGISTER_CLOSED, Code.TAX_RATE_UNKNOWN}),
        (400, {Code.CLIENT_CONFLICT, Code.TAX_ID_INVALID}),
    ),
    "POST /api/cash-register/{id}/close": ((400, {Code.REGISTER_CLOSED}),),
    "POST /api/teams": (
        (400, {Code.TAX_ID_INVALID, Code.ISSUER_INCOMPLETE, Code.EINVOICE_UNSUPPORTED}),
        (503, {Code.SERVER_BUSY}),
    ),
    "GET /api/teams/current": ((404, {Code.NO_TEAM}),),
    "PUT /api/teams/current": (
        (400, {Code.TAX_ID_INVALID, Code.ISSUER_INCOMPLETE, Code.EINVOICE_UNSUPPORTED}),
        (404, {Code.NO_TEAM}),
        (409, {Code.EINVOICING_STARTED}),
        (503, {Code.SERVER_BUSY}),
    ),
    "POST /api/teams/current/invite": (
        (400, {Code.ALREADY_MEMBER}),
        (404, {Code.NO_TEAM, Code.USER_NOT_REGISTERED}),
        (502, {Code.MAIL_FAILED}),
    ),
    "GET /api/teams/my-role": ((404, {Code.NO_TEAM}),),
    "GET /api/teams/current/members": ((404, {Code.NO_TEAM}),),
    "PATCH /api/teams/current/members/{memberId}/role": ((400, {Code.OWNER_PROTECTED}), (404, {Code.NO_TEAM})),
    "DELETE /api/teams/current/members/{memberId}": ((400, {Code.OWNER_PROTECTED}), (404, {Code.NO_TEAM})),
    "POST /api/teams/current/regenerate-key": ((404, {Code.NO_TEAM}),),
    "POST /api/einvoice/emit": _EMITTING,
    "POST /api/einvoice": _EMITTING,
    "GET /api/einvoice/events/xml": ((404, {Code.NOT_FOUND}),),
    "PUT /api/einvoice/mode": ((400, {Code.EINVOICE_UNSUPPORTED}),),
    "GET /api/einvoice/chain": ((400, {Code.EINVOICE_UNSUPPORTED}),),
    "POST /api/einvoice/chain/continue": ((400, {Code.EINVOICE_UNSUPPORTED, Code.CHAIN_BEGUN}),),
    "POST /api/einvoice/annul": (
        (
            400,
            {
                Code.NOT_EMITTED,
                Code.NOT_ANNULLABLE,
                Code.FISCAL_CHECK_FAILED,
                Code.EINVOICE_UNSUPPORTED,
                Code.INVOICE_LOCKED,
            },
        ),
        (422, {Code.AUTHORITY_REJECTED}),
    ),
    "PUT /api/einvoice/certificate": (
        (
            400,
            {
                Code.EINVOICE_UNSUPPORTED,
                Code.ISSUER_INCOMPLETE,
                Code.CERTIFICATE_UNUSABLE,
                Code.CERTIFICATE_OF_ANOTHER,
            },
        ),
        (409, {Code.CERTIFICATE_IN_USE}),
        (503, {Code.SERVER_BUSY}),
    ),
    "GET /api/einvoice/certificate": ((404, {Code.NOT_FOUND}),),
    "DELETE /api/einvoice/certificate": ((404, {Code.NOT_FOUND}), (409, {Code.CERTIFICATE_IN_USE})),
    "POST /api/einvoice/certificate/test": ((400, {Code.EINVOICE_UNSUPPORTED}),),
    "GET /api/einvoice/declaration": (
        (400, {Code.EINVOICE_UNSUPPORTED, Code.DECLARATION_INCOMPLETE}),
        (404, {Code.NOT_FOUND}),
    ),
    "POST /api/einvoice/credit-note": (
        *_EMITTING,
        (400, {Code.NOT_EMITTED, Code.TAX_RATE_UNKNOWN, Code.INVOICE_ANNULLED}),
    ),
    "GET /api/einvoice/status/{id}": ((400, {Code.NOT_EMITTED}),),
    "GET /api/einvoice/download/{id}": ((400, {Code.NOT_EMITTED}), *_PRINTING),
    "POST /api/einvoice/send-email/{id}": (
        (400, {Code.NOT_EMITTED}),
        *_PRINTING,
        (502, {Code.MAIL_FAILED}),
    ),
    "GET /api/einvoice/xml/{id}": ((400, {Code.NOT_EMITTED}),),
}
"""Statuses and codes by `METHOD /path`; every problem that a test meets must be among them (tests/support/api.py)."""
