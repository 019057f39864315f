"""Recomputing a record's fingerprint from its XML."""

from ledgerkit.providers.es.verifactu import chain
from ledgerkit.providers.es.verifactu.xml import INFORMATION

SF = f"{{{INFORMATION}}}"


def issue_fingerprint(record):
    identity = record.find(f"{SF}IDFactura")
    return chain.of_issue(
        issuer=identity.findtext(f"{SF}IDEmisorFactura"),
        number=identity.findtext(f"{SF}NumSerieFactura"),
        issue_date=identity.findtext(f"{SF}FechaExpedicionFactura"),
        kind=record.findtext(f"{SF}TipoFactura"),
        tax_total=record.findtext(f"{SF}CuotaTotal"),
        gross_total=record.findtext(f"{SF}ImporteTotal"),
        previous=previous(record),
        generated_at=record.findtext(f"{SF}FechaHoraHusoGenRegistro"),
    )


def annulment_fingerprint(record):
    identity = record.find(f"{SF}IDFactura")
    return chain.of_annulment(
        issuer=identity.findtext(f"{SF}IDEmisorFacturaAnulada"),
        number=identity.findtext(f"{SF}NumSerieFacturaAnulada"),
        issue_date=identity.findtext(f"{SF}FechaExpedicionFacturaAnulada"),
        previous=previous(record),
        generated_at=record.findtext(f"{SF}FechaHoraHusoGenRegistro"),
    )


def previous(record):
    return record.findtext(f"{SF}Encadenamiento/{SF}RegistroAnterior/{SF}Huella") or ""
