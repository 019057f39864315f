"""Fingerprints: SHA-256 over the record's own literals, each record carrying the one before it.

Source: AEAT, fingerprint specification 0.1.2 (Orden HAC/1177/2024, art. 13).
"""

from hashlib import sha256

BLANK = "".join(map(chr, range(0x21)))
"""Characters that are trimmed at both ends of every literal."""


def of_issue(
    *,
    issuer: str,
    number: str,
    issue_date: str,
    kind: str,
    tax_total: str,
    gross_total: str,
    previous: str,
    generated_at: str,
) -> str:
    """Fingerprint of a RegistroAlta: 64 upper-case hexadecimal digits. `previous` is empty in the first record."""
    return _digest(
        ("IDEmisorFactura", issuer),
        ("NumSerieFactura", number),
        ("FechaExpedicionFactura", issue_date),
        ("TipoFactura", kind),
        ("CuotaTotal", tax_total),
        ("ImporteTotal", gross_total),
        ("Huella", previous),
        ("FechaHoraHusoGenRegistro", generated_at),
    )


def of_annulment(*, issuer: str, number: str, issue_date: str, previous: str, generated_at: str) -> str:
    """Fingerprint of a RegistroAnulacion, over the annulled invoice's identity."""
    return _digest(
        ("IDEmisorFacturaAnulada", issuer),
        ("NumSerieFacturaAnulada", number),
        ("FechaExpedicionFacturaAnulada", issue_date),
        ("Huella", previous),
        ("FechaHoraHusoGenRegistro", generated_at),
    )


def of_event(
    *,
    producer: str,
    system_id: str,
    version: str,
    installation: str,
    issuer: str,
    kind: str,
    previous: str,
    generated_at: str,
) -> str:
    """Fingerprint of a RegistroEvento. NIF is there twice, the producer's and the issuer's; this producer has no ID."""
    return _digest(
        ("NIF", producer),
        ("ID", ""),
        ("IdSistemaInformatico", system_id),
        ("Version", version),
        ("NumeroInstalacion", installation),
        ("NIF", issuer),
        ("TipoEvento", kind),
        ("HuellaEvento", previous),
        ("FechaHoraHusoGenEvento", generated_at),
    )


def _digest(*fields: tuple[str, str]) -> str:
    """Hash the literals, trimmed at both ends (characters up to U+0020), never escaped."""
    text = "&".join(f"{name}={value.strip(BLANK)}" for name, value in fields)
    return sha256(text.encode()).hexdigest().upper()
