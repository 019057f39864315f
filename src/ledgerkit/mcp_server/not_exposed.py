"""Operations that no tool calls, and the reason for each."""

from collections.abc import Mapping

_PERSON = "a person's own account: passwords and keys would enter the conversation"
_SETUP = "set up once by a person, with files and secrets"
_INSPECTION = "for the tax inspection of this software, and done by a person"
_FILES = "bytes do not go through a conversation"
_BULK = "moves a whole company's history in; done once, by a person, with the file"

NOT_EXPOSED: Mapping[str, str] = {
    "activity.feed": "get_history reads the same log, in a personal workspace as well",
    "ai.model.ask_model": _SETUP,
    "ai.balance": "part of whoami",
    "ai.usage": "part of whoami",
    "api_keys.": _PERSON,
    "approvals.": "whoever proposes never decides; a call that becomes a proposal answers with it",
    "attachments.": f"{_FILES}; a scanned receipt is attached by its receiptId",
    "business_context.as_markdown": "the resource ledgerkit://context, in words of get_business_context",
    "catalog.get": "list_catalog_items shows each item whole",
    "countries.get": "what forms offer to people; a refused rate, exemption or reason lists those that there are",
    "credentials.": _PERSON,
    "declarations.tax_profile.change_profile": "who the taxpayer is decides on all declarations: set by a person",
    "declarations.record_books.export": f"{_FILES}: record books are downloaded by a person",
    "declarations.tax_profile.read_profile": "what follows from it stands in list_tax_declarations with view calendar",
    "declarations.filed.record_previous": "typed in by a person from the paper that was filed",
    "downloads.opened": "what the link of get_document opens, for browsers",
    "einvoice.certificates.": _SETUP,
    "einvoice.producer_statement.declaration": _INSPECTION,
    "einvoice.status.download": "the PDF of get_document is the same",
    **{
        f"einvoice.inspection.{name}": _INSPECTION
        for name in ("begin_anew", "continue_from", "export", "list_unrecorded", "overview", "verify")
    },
    "einvoice.inspection.list_records": "list_invoices says how each invoice stands, get_einvoice_status what to do",
    "einvoice.signed_mode.": _INSPECTION,
    "einvoice.signed_mode.choose": _SETUP,
    "einvoice.signed_mode.mode": _SETUP,
    "einvoice.transmission.": "repairs of an operator",
    "expenses.named_vendors": "completes what a person types; list_vendors finds vendors",
    "going_live.": "sets a whole trial aside; done once, by the owner, who reads the list of what is missing",
    "identity.": _PERSON,
    "invoices.counts": "list_invoices says how many there are of each status",
    "invoices.imports.": _BULK,
    "invoices.payments.payments": "get_invoice says what is paid and owed",
    "invoices.preview": "a draft is as harmless as its preview: create_invoice answers with its totals",
    "invoices.pdf.qr": f"{_FILES}; the PDF of get_document bears it",
    "invoices.restore": "undo takes back a deletion; an older one that a person confirmed is restored by a person",
    "invoices.public_links.shared_document": "the public page behind share_invoice, for browsers",
    "invoices.public_links.shared_pdf": "the public page behind share_invoice, for browsers",
    "mail.senders.send_to_oneself": _SETUP,
    "invoices.previews.": "a draft is as harmless as its preview: create_invoice answers with its totals",
    "messaging.": "a person's own chats: linked and unlinked by the person, who reads and taps there",
    "oauth.": "how an assistant signs in and a person ends that; never done through the assistant itself",
    "personal_data.": _PERSON,
    "reports.overview.overview": "the first screen of the web app; get_business_context has the figures",
    "supplier_invoices.imports.import_invoices": _BULK,
    "teams.invitations.accept_invitation": _PERSON,
    "teams.create": "save_company makes the workspace a team; another team would be other books than the connection's",
    "teams.web_sessions.current_session": _PERSON,
    "teams.members.list_members": "part of get_team",
    "teams.invitations.login": _PERSON,
    "teams.me": "part of whoami",
    "teams.web_sessions.open_session": _PERSON,
    "teams.regenerate_key": _PERSON,
    "teams.invitations.register": _PERSON,
    "teams.members.roles": "a table for people; a refused call names the roles that may",
    "teams.switch": "a connection is bound to one team; a switch would move other conversations with it",
    "teams.usual_tax_rate": "what forms begin with; the tools take a line without a rate, and apply it",
    "teams.invitations.welcome": _PERSON,
}
"""Reason by the operation's name, or by a prefix of several names, which ends in a dot."""


def reason(operation: str) -> str | None:
    """Return why no tool calls an operation; None if a tool should."""
    beginnings = (text for name, text in NOT_EXPOSED.items() if name.endswith(".") and operation.startswith(name))
    return NOT_EXPOSED.get(operation) or next(beginnings, None)
