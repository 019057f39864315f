"""Mail to people: composed safely, handed to a mail server, or kept as files where there is none."""

from ledgerkit.core.mail.invoice import InvoiceNotice, invoice_mail
from ledgerkit.core.mail.message import Attachment, Mail
from ledgerkit.core.mail.service import Delivery, Mailer, MailReceipt

__all__ = ["Attachment", "Delivery", "InvoiceNotice", "Mail", "MailReceipt", "Mailer", "invoice_mail"]
