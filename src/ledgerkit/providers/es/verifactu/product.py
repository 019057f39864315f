"""Parts and functions of what is installed here, as the declaration of responsibility describes them.

Orden HAC/1177/2024, art. 15.1.d: the components of the system and what each essentially does.
"""

from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec

from ledgerkit.providers.es.tax_forms import FORMS


@dataclass(frozen=True, kw_only=True)
class InstalledParts:
    """Parts that an installation may lack: the built web application, and the offline reader of receipts."""

    web_application: bool
    receipt_reader: bool

    @classmethod
    def here(cls) -> "InstalledParts":
        """Return what this installation has; loads none of it."""
        return cls(
            web_application=files("ledgerkit").joinpath("web", "dist", "index.html").is_file(),
            receipt_reader=find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None,
        )


def description(parts: InstalledParts, *, signs_records: bool) -> str:
    """Return the text of item d in Spanish, at most 4000 characters."""
    application = "una aplicación web para el navegador, " if parts.web_application else ""
    reader = (
        "El programa lee tiques y facturas recibidas en el propio servidor; quien lo instala puede configurar "
        "además un modelo de lenguaje externo, que recibe entonces esos documentos. "
        if parts.receipt_reader
        else "Si quien lo instala configura un modelo de lenguaje externo, este lee tiques y facturas recibidas. "
    )
    modes = (
        "El sistema funciona como VERI*FACTU y como NO VERI*FACTU: en este caso firma y conserva los registros y lleva "
        "el registro de eventos. "
        if signs_records
        else "El sistema funciona solo como VERI*FACTU. "
    )
    forms = ", ".join(form.code for form in FORMS)
    return (
        "Programa de servidor ledgerkit, en Python, con base de datos PostgreSQL, para ordenadores corrientes con "
        f"Linux o macOS y sin hardware propio. Se usa por {application}por una API web (HTTP, con claves de acceso) y "
        "por asistentes de inteligencia artificial (MCP, con la autorización de cada persona); todos pasan por las "
        "mismas operaciones, que dejan un registro de actividad. Quien lo instala tiene además órdenes de consola, con "
        "copias de seguridad y su restauración, y pasa de las pruebas a la producción. "
        "Emite facturas, facturas simplificadas y rectificativas; genera y encadena sus registros de facturación, "
        f"los remite a la Agencia Tributaria e imprime su código QR. {modes}"
        "La facturación de cada obligado va aparte, con su numeración, su número de instalación y su cadena. "
        "Lleva además clientes, catálogo y existencias, la caja de un punto de venta con sus cierres, gastos, "
        "proveedores, facturas recibidas y sus pagos, tareas, informes y un resumen de inicio, los equipos con sus "
        "miembros y roles, y los ajustes de cada empresa. Guarda ficheros adjuntos e instrucciones para asistentes, "
        "importa facturas de otros programas, envía documentos por correo electrónico o por enlaces que caducan, y "
        f"exporta los datos de cada persona. {reader}"
        f"Prepara los modelos {forms} y los libros registro, con los documentos en que se basa cada casilla, y hace "
        "sus ficheros; no los presenta."
    )
