"""Mail to people: composed safely, delivered to a mail server or stored as files where there is none, and logged."""

from ledgerkit.core.platform.mail.delivery.message import Attachment, Mail, address
from ledgerkit.core.platform.mail.letters.invoice import InvoiceNotice, invoice_mail
from ledgerkit.core.platform.mail.letters.layout import Language
from ledgerkit.core.platform.mail.letters.notices import (
    CertificateNotice,
    FiscalNotice,
    PersonNotice,
    TeamNotice,
    account_deleted_mail,
    certificate_mail,
    chat_linked_mail,
    fiscal_mail,
    invitation_mail,
    membership_mail,
    password_changed_mail,
    reset_mail,
    verification_mail,
)
from ledgerkit.core.platform.mail.operations import Delivery, Mailer, MailKind, MailReceipt, page_address, send

__all__ = [
    "Attachment",
    "CertificateNotice",
    "Delivery",
    "FiscalNotice",
    "InvoiceNotice",
    "Language",
    "Mail",
    "MailKind",
    "MailReceipt",
    "Mailer",
    "PersonNotice",
    "TeamNotice",
    "account_deleted_mail",
    "address",
    "certificate_mail",
    "chat_linked_mail",
    "fiscal_mail",
    "invitation_mail",
    "invoice_mail",
    "membership_mail",
    "page_address",
    "password_changed_mail",
    "reset_mail",
    "send",
    "verification_mail",
]
