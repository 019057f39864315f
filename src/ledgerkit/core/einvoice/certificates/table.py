"""The table of the accounts' own certificates."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import UniqueConstraint

from ledgerkit.core.platform.database.row_types import AccountRow, column
from ledgerkit.core.platform.database.tables import account_table


class CertificateRow(AccountRow):
    """The account's own client certificate for its authority, one at most; without one the operator's is used."""

    content: bytes = column(
        "Certificate, chain and private key, encrypted for this account (AES-256-GCM); shown to nobody.",
    )
    holder: str = column("Name of the holder, as in the certificate.")
    country: str = column("Country of the holder, two capital letters.")
    tax_id: str = column("Tax identifier of the holder, as in the certificate.")
    issuer: str = column("Issuer of the certificate.")
    serial: str = column("Serial number of the certificate, in hexadecimal.")
    valid_from: datetime = column("Time (UTC) from which the certificate is valid.")
    valid_to: datetime = column("Time (UTC) until which the certificate is valid.")
    seal: bool = column(
        "True for an entity's seal, for which the authority has a host of its own; false for a person's certificate.",
    )
    signs: bool = column("True where the certificate can sign records that are kept instead of reported.")
    represents: bool = column("True where the holder is not the issuer and was declared to report for it.")
    warned_days: int | None = column(
        "Last warning before the end that was given: 60, 30, 7 or 0 (expired) days; null before the first.",
    )
    user_id: UUID | None = column("Id of the user who uploaded it; null for a team's key.")
    user_name: str = column("Name of whoever uploaded it.")


fiscal_certificate = account_table(
    "fiscal_certificate",
    CertificateRow,
    UniqueConstraint("account_id"),
)
