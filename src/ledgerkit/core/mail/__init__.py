"""Mail to people: composed safely, delivered to a mail server or stored as files where there is none, and logged."""

from ledgerkit.core.mail.account import (
    PersonNotice,
    account_deleted_mail,
    password_changed_mail,
    reset_mail,
    verification_mail,
)
from ledgerkit.core.mail.certificate import CertificateNotice, certificate_mail
from ledgerkit.core.mail.invoice import InvoiceNotice, invoice_mail
from ledgerkit.core.mail.message import Attachment, Mail, address
from ledgerkit.core.mail.notice import Notice, notice_mail
from ledgerkit.core.mail.rendering import Language
from ledgerkit.core.mail.service import Delivery, Mailer, MailKind, MailReceipt, page_address, send
from ledgerkit.core.mail.team import TeamNotice, invitation_mail, membership_mail

__all__ = [
    "Attachment",
    "CertificateNotice",
    "Delivery",
    "InvoiceNotice",
    "Language",
    "Mail",
    "MailKind",
    "MailReceipt",
    "Mailer",
    "Notice",
    "PersonNotice",
    "TeamNotice",
    "account_deleted_mail",
    "address",
    "certificate_mail",
    "invitation_mail",
    "invoice_mail",
    "membership_mail",
    "notice_mail",
    "page_address",
    "password_changed_mail",
    "reset_mail",
    "send",
    "verification_mail",
]
