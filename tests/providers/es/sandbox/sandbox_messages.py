"""Messages as a taxpayer's software would send them, built here by hand so that a test can spoil any part."""

from datetime import datetime
from hashlib import sha256
from itertools import count
from xml.sax.saxutils import escape
from zoneinfo import ZoneInfo

BASE = "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
SF, LR, ANSWER = (f"{BASE}{name}.xsd" for name in ("SuministroInformacion", "SuministroLR", "RespuestaSuministro"))
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
ISSUER, RECIPIENT, PRODUCER = "89890001K", "89890002E", "89890003T"
MADRID = ZoneInfo("Europe/Madrid")


def now() -> datetime:
    return datetime.now(MADRID)


def today() -> str:
    return f"{now():%d-%m-%Y}"


def line(**changes):
    parts = {
        "Impuesto": None,
        "ClaveRegimen": "01",
        "CalificacionOperacion": "S1",
        "OperacionExenta": None,
        "TipoImpositivo": "21.00",
        "BaseImponibleOimporteNoSujeto": "100.00",
        "BaseImponibleACoste": None,
        "CuotaRepercutida": "21.00",
        "TipoRecargoEquivalencia": None,
        "CuotaRecargoEquivalencia": None,
    }
    return {"DetalleDesglose": known(parts, changes)}


def exempt(code="E1", **changes):
    return line(CalificacionOperacion=None, OperacionExenta=code, TipoImpositivo=None, CuotaRepercutida=None, **changes)


def not_taxed(qualification, **changes):
    return line(CalificacionOperacion=qualification, TipoImpositivo=None, CuotaRepercutida=None, **changes)


def recipient(name="Cliente SA", **identification):
    return {"IDDestinatario": {"NombreRazon": name} | (identification or {"NIF": RECIPIENT})}


def other_id(kind, number, country=None):
    return {"IDOtro": {"CodigoPais": country, "IDType": kind, "ID": number}}


def system(**changes):
    parts = {
        "NombreRazon": "Productor SL",
        "NIF": PRODUCER,
        "IDOtro": None,
        "NombreSistemaInformatico": "ledgerkit",
        "IdSistemaInformatico": "LK",
        "Version": "0.1",
        "NumeroInstalacion": "1",
        "TipoUsoPosibleSoloVerifactu": "S",
        "TipoUsoPosibleMultiOT": "S",
        "IndicadorMultiplesOT": "N",
    }
    return known(parts, changes)


FIRST = {"PrimerRegistro": "S"}


def link(record):
    """Reference of a record to the one before it."""
    names = record["IDFactura"].values()
    keys = ("IDEmisorFactura", "NumSerieFactura", "FechaExpedicionFactura")
    return {"RegistroAnterior": dict(zip(keys, names, strict=True)) | {"Huella": record["Huella"]}}


def alta(number="F2026-0001", *, previous=None, lines=None, **changes):
    """A RegistroAlta that the authority accepts, with `changes` to its parts; None leaves a part out."""
    parts = {
        "IDVersion": "1.0",
        "IDFactura": {"IDEmisorFactura": ISSUER, "NumSerieFactura": number, "FechaExpedicionFactura": today()},
        "RefExterna": None,
        "NombreRazonEmisor": "Emisor SL",
        "Subsanacion": None,
        "RechazoPrevio": None,
        "TipoFactura": "F1",
        "TipoRectificativa": None,
        "FacturasRectificadas": None,
        "FacturasSustituidas": None,
        "ImporteRectificacion": None,
        "FechaOperacion": None,
        "DescripcionOperacion": "Servicios",
        "FacturaSimplificadaArt7273": None,
        "FacturaSinIdentifDestinatarioArt61d": None,
        "Macrodato": None,
        "EmitidaPorTerceroODestinatario": None,
        "Tercero": None,
        "Destinatarios": recipient(),
        "Cupon": None,
        "Desglose": lines or [line()],
        "CuotaTotal": "21.00",
        "ImporteTotal": "121.00",
        "Encadenamiento": link(previous) if previous else FIRST,
        "SistemaInformatico": system(),
        "FechaHoraHusoGenRegistro": now().isoformat(timespec="seconds"),
        "NumRegistroAcuerdoFacturacion": None,
        "IdAcuerdoSistemaInformatico": None,
        "TipoHuella": "01",
        "Huella": None,
    }
    return sealed(known(parts, changes))


def anulacion(number="F2026-0001", *, previous=None, **changes):
    """A RegistroAnulacion of the invoice `number`, otherwise as `alta`."""
    parts = {
        "IDVersion": "1.0",
        "IDFactura": {
            "IDEmisorFacturaAnulada": ISSUER,
            "NumSerieFacturaAnulada": number,
            "FechaExpedicionFacturaAnulada": today(),
        },
        "RefExterna": None,
        "SinRegistroPrevio": None,
        "RechazoPrevio": None,
        "GeneradoPor": None,
        "Generador": None,
        "Encadenamiento": link(previous) if previous else FIRST,
        "SistemaInformatico": system(),
        "FechaHoraHusoGenRegistro": now().isoformat(timespec="seconds"),
        "TipoHuella": "01",
        "Huella": None,
    }
    return sealed(known(parts, changes))


def invoice(number="F2026-0001", issuer=ISSUER, day=None):
    return {"IDEmisorFactura": issuer, "NumSerieFactura": number, "FechaExpedicionFactura": day or today()}


def sealed(record):
    """With the fingerprint that belongs to its literals, unless it brings one."""
    if record["Huella"] is not None:
        return record
    fields = list(record["IDFactura"].items())
    fields += [(name, record[name]) for name in ("TipoFactura", "CuotaTotal", "ImporteTotal") if name in record]
    previous = (record["Encadenamiento"] or {}).get("RegistroAnterior", {})
    fields += [("Huella", previous.get("Huella", ""))]
    fields += [("FechaHoraHusoGenRegistro", record["FechaHoraHusoGenRegistro"])]
    text = "&".join(f"{name}={value or ''}" for name, value in fields)
    return record | {"Huella": sha256(text.encode()).hexdigest().upper()}


def chain_of(count, start=1):
    """Chain of that many records, each linked to the one before."""
    records = []
    for ordinal in range(start, start + count):
        records.append(alta(f"F2026-{ordinal:04d}", previous=records[-1] if records else None))
    return records


def message(*records, voluntary=None, issuer=ISSUER, header=None):
    """The SOAP message carrying `records`."""
    cabecera = header or {
        "ObligadoEmision": {"NombreRazon": "Emisor SL", "NIF": issuer},
        "RemisionVoluntaria": voluntary,
    }
    return envelope(
        f"<sum:RegFactuSistemaFacturacion><sum:Cabecera>{xml(cabecera)}</sum:Cabecera>"
        + "".join(f"<sum:RegistroFactura>{record_xml(record)}</sum:RegistroFactura>" for record in records)
        + "</sum:RegFactuSistemaFacturacion>"
    )


def envelope(content):
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="{SOAP}" xmlns:sum="{LR}" '
        f'xmlns:sum1="{SF}"><soapenv:Header/><soapenv:Body>{content}</soapenv:Body></soapenv:Envelope>'
    ).encode()


def record_xml(record):
    name = "RegistroAlta" if "TipoFactura" in record else "RegistroAnulacion"
    return f"<sum1:{name}>{xml(record)}</sum1:{name}>"


def xml(parts):
    if parts is None:
        return ""
    if isinstance(parts, str):
        return escape(parts)
    if isinstance(parts, list):
        return "".join(map(xml, parts))
    return "".join(f"<sum1:{name}>{xml(value)}</sum1:{name}>" for name, value in parts.items() if value is not None)


def known(parts, changes):
    assert set(changes) <= set(parts), set(changes) - set(parts)
    return parts | changes


_LONE = count(1)


def lone(**changes):
    """A record of an invoice and an installation that no other test knows."""
    ordinal = next(_LONE)
    return alta(f"LONE-{ordinal}", **({"SistemaInformatico": system(NumeroInstalacion=str(ordinal))} | changes))
