"""Structure of a message: elements, order and occurrences; anything else is a structure fault.

Where the schema offers a choice that the authority also checks as a rule with its own code (NIF or IDOtro,
qualification or exemption, first record or link), both branches are optional here and the rule decides.
Source: AEAT, SuministroLR.xsd and SuministroInformacion.xsd, version 1.0.
"""

from dataclasses import dataclass

from lxml import etree

from ledgerkit.providers.es.sandbox.messages import SubmissionError

_BASE = "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
SF = f"{{{_BASE}SuministroInformacion.xsd}}"
LR = f"{{{_BASE}SuministroLR.xsd}}"
ANSWER = f"{{{_BASE}RespuestaSuministro.xsd}}"
SOAP = "{http://schemas.xmlsoap.org/soap/envelope/}"
SIGNATURE = "{http://www.w3.org/2000/09/xmldsig#}Signature"

MISSING, TOO_MANY_ENTRIES = 4102, 4113


@dataclass(frozen=True)
class Slot:
    """One place of a sequence: an element, how often it may come, and what is inside."""

    name: str
    low: int
    high: int
    inner: tuple["Slot", ...]


Shape = tuple[Slot, ...]


def shape(*names: str, **inner: Shape) -> Shape:
    """A sequence. `name` is required, `name?` optional, `name+12` comes one to twelve times."""
    return tuple(_slot(name, inner) for name in names)


def require(element: etree._Element, sequence: Shape) -> None:
    """Raise SubmissionError 4102 (or 4113, too many entries) at the first departure from `sequence`."""
    if not sequence and len(element):
        raise SubmissionError(MISSING, _local(element[0]))
    if sequence and (element.text or "").strip():
        raise SubmissionError(MISSING, _local(element))
    _walk([child for child in element if child.tag != SIGNATURE], sequence)


def _walk(children: list[etree._Element], sequence: Shape) -> None:
    position = 0
    for slot in sequence:
        count = 0
        while position < len(children) and children[position].tag == SF + slot.name:
            require(children[position], slot.inner)
            position, count = position + 1, count + 1
        if count < slot.low:
            raise SubmissionError(MISSING, slot.name)
        if count > slot.high:
            raise SubmissionError(TOO_MANY_ENTRIES if slot.high > 1 else MISSING, slot.name)
    if position < len(children):
        raise SubmissionError(MISSING, _local(children[position]))


def _slot(name: str, inner: dict[str, Shape]) -> Slot:
    bare, _, high = name.partition("+")
    optional = bare.endswith("?")
    bare = bare.removesuffix("?")
    return Slot(bare, 0 if optional else 1, int(high or 1), inner.get(bare, ()))


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname


_OTHER_ID = shape("CodigoPais?", "IDType", "ID")
_PERSON = shape("NombreRazon", "NIF?", "IDOtro?", IDOtro=_OTHER_ID)
_SPANISH_PERSON = shape("NombreRazon", "NIF")
_INVOICE = shape("IDEmisorFactura", "NumSerieFactura", "FechaExpedicionFactura")
_ANNULLED = shape("IDEmisorFacturaAnulada", "NumSerieFacturaAnulada", "FechaExpedicionFacturaAnulada")
_PREVIOUS = shape("IDEmisorFactura", "NumSerieFactura", "FechaExpedicionFactura", "Huella")
_CHAIN = shape("PrimerRegistro?", "RegistroAnterior?", RegistroAnterior=_PREVIOUS)
_SYSTEM = shape(
    "NombreRazon",
    "NIF?",
    "IDOtro?",
    "NombreSistemaInformatico",
    "IdSistemaInformatico",
    "Version",
    "NumeroInstalacion",
    "TipoUsoPosibleSoloVerifactu",
    "TipoUsoPosibleMultiOT",
    "IndicadorMultiplesOT",
    IDOtro=_OTHER_ID,
)
_LINE = shape(
    "Impuesto?",
    "ClaveRegimen?",
    "CalificacionOperacion?",
    "OperacionExenta?",
    "TipoImpositivo?",
    "BaseImponibleOimporteNoSujeto",
    "BaseImponibleACoste?",
    "CuotaRepercutida?",
    "TipoRecargoEquivalencia?",
    "CuotaRecargoEquivalencia?",
)

HEADER = shape(
    "ObligadoEmision",
    "Representante?",
    "RemisionVoluntaria?",
    "RemisionRequerimiento?",
    ObligadoEmision=_SPANISH_PERSON,
    Representante=_SPANISH_PERSON,
    RemisionVoluntaria=shape("FechaFinVeriFactu?", "Incidencia?"),
    RemisionRequerimiento=shape("RefRequerimiento", "FinRequerimiento?"),
)
ISSUE = shape(
    "IDVersion",
    "IDFactura",
    "RefExterna?",
    "NombreRazonEmisor",
    "Subsanacion?",
    "RechazoPrevio?",
    "TipoFactura",
    "TipoRectificativa?",
    "FacturasRectificadas?",
    "FacturasSustituidas?",
    "ImporteRectificacion?",
    "FechaOperacion?",
    "DescripcionOperacion",
    "FacturaSimplificadaArt7273?",
    "FacturaSinIdentifDestinatarioArt61d?",
    "Macrodato?",
    "EmitidaPorTerceroODestinatario?",
    "Tercero?",
    "Destinatarios?",
    "Cupon?",
    "Desglose",
    "CuotaTotal",
    "ImporteTotal",
    "Encadenamiento",
    "SistemaInformatico",
    "FechaHoraHusoGenRegistro",
    "NumRegistroAcuerdoFacturacion?",
    "IdAcuerdoSistemaInformatico?",
    "TipoHuella",
    "Huella",
    IDFactura=_INVOICE,
    FacturasRectificadas=shape("IDFacturaRectificada+1000", IDFacturaRectificada=_INVOICE),
    FacturasSustituidas=shape("IDFacturaSustituida+1000", IDFacturaSustituida=_INVOICE),
    ImporteRectificacion=shape("BaseRectificada", "CuotaRectificada", "CuotaRecargoRectificado?"),
    Tercero=_PERSON,
    Destinatarios=shape("IDDestinatario+1000", IDDestinatario=_PERSON),
    Desglose=shape("DetalleDesglose+12", DetalleDesglose=_LINE),
    Encadenamiento=_CHAIN,
    SistemaInformatico=_SYSTEM,
)
ANNULMENT = shape(
    "IDVersion",
    "IDFactura",
    "RefExterna?",
    "SinRegistroPrevio?",
    "RechazoPrevio?",
    "GeneradoPor?",
    "Generador?",
    "Encadenamiento",
    "SistemaInformatico",
    "FechaHoraHusoGenRegistro",
    "TipoHuella",
    "Huella",
    IDFactura=_ANNULLED,
    Generador=_PERSON,
    Encadenamiento=_CHAIN,
    SistemaInformatico=_SYSTEM,
)
