"""A second implementation of the fingerprint, from a record's XML alone: it shares nothing with the product's.

Source: AEAT, fingerprint specification 0.1.2.
"""

from hashlib import sha256

from ledgerkit.providers.es.verifactu.xml import INFORMATION

SF = f"{{{INFORMATION}}}"

IDENTITY = ("IDEmisorFactura", "NumSerieFactura", "FechaExpedicionFactura")
PREVIOUS, MADE_AT = "Encadenamiento/RegistroAnterior/Huella", "FechaHoraHusoGenRegistro"
ISSUE = (*(f"IDFactura/{name}" for name in IDENTITY), "TipoFactura", "CuotaTotal", "ImporteTotal", PREVIOUS, MADE_AT)
ANNULMENT = (*(f"IDFactura/{name}Anulada" for name in IDENTITY), PREVIOUS, MADE_AT)
TRIMMED = "".join(chr(code) for code in range(33))


def issue_fingerprint(record):
    return fingerprint(record, ISSUE)


def annulment_fingerprint(record):
    return fingerprint(record, ANNULMENT)


def fingerprint(record, paths):
    hashed = sha256()
    for ordinal, path in enumerate(paths):
        names = path.split("/")
        literal = record.findtext("/".join(SF + name for name in names)) or ""
        hashed.update((("&" if ordinal else "") + f"{names[-1]}=" + literal.strip(TRIMMED)).encode("utf-8"))
    return hashed.hexdigest().upper()
