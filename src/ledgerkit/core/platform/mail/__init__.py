"""Mail to people: composed safely, delivered to a mail server or stored as files where there is none, and logged."""

from ledgerkit.core.platform.mail.delivery.message import Attachment, Mail, address
from ledgerkit.core.platform.mail.letters.account import (
    PersonNotice,
    account_deleted_mail,
    password_changed_mail,
    reset_mail,
    verification_mail,
)
from ledgerkit.core.platform.mail.letters.certificate import CertificateNotice, certificate_mail
from ledgerkit.core.platform.mail.letters.invoice import InvoiceNotice, invoice_mail
from ledgerkit.core.platform.mail.letters.layout import Language
from ledgerkit.core.platform.mail.letters.notice import Notice, notice_mail
from ledgerkit.core.platform.mail.letters.team import TeamNotice, invitation_mail, membership_mail
from ledgerkit.core.platform.mail.operations import Delivery, Mailer, MailKind, MailReceipt, page_address, send

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
