"""Words of commands and small words, by language. Everything is in lower case without accents."""

from collections.abc import Mapping

COMMANDS = frozenset(
    """
    hacer hecho hechas hice tengo quiero hoy ayer viernes jueves lunes martes miercoles sabado domingo vence vencimiento horas
    hora media cuanto quien quienes ganado gastado vendido llamado pagan proveedores resumen aqui ahora llamar deben
    marca marcar note notes mira nota lista mail post date dated bank
    factura facturas facturame facturalo facturale facturar emite emitir emitela envia enviar enviasela enviala mandasela mandala
    manda reenvia pagada pagado pagadas cobrada cobrado ingresado abono rectificativa rectificar tarea tareas
    recuerdame apunta apuntame anota deshacer deshaz silencio resumen trimestre impuestos modelos vencidas vencida
    pendiente pendientes deben clientes cliente borrador borradores telefono direccion correo retencion incluido
    transferencia efectivo tarjeta bizum transferido cierra cierre
    invoice invoices invoiced create draft issue resend paid payment received credit remind reminder task tasks undo
    overdue outstanding quarter client clients phone address email retention withholding included including excluding
    transfer digest silence unlink summary receipt
    """.split()
)
"""Words in which a slip is mended; they are neither names nor titles."""

SHORT_FORMS: Mapping[str, str] = {
    **{"q": "que", "x": "por", "d": "de", "xa": "para", "pa": "para", "pal": "para", "tb": "tambien"},
    **{"porfi": "porfa", "xfa": "porfa", "xfavor": "porfa", "m": "me", "sta": "esta", "xq": "porque", "bn": "bien"},
    **{"kiero": "quiero", "pls": "please", "plz": "please", "u": "you", "thx": "thanks", "inv": "invoice"},
    **{"mñn": "manana", "mñna": "manana", "tmrw": "tomorrow", "tmr": "tomorrow", "2moro": "tomorrow"},
}
"""Words as people shorten them on a telephone."""

FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "es": frozenset(
        """
        el la los las un una unos unas de del al y o que en por para con sin mas me te se le les lo su mi ha han he hay
        es son esta estan cuanto quien cual como cuando ya hoy manana ayer pon ponme hazme haz dame dime pasame factura
        facturas iva horas hora dias euros pasado pasada pasados pasadas pagar cobrar cobran pagan pagas paga cuenta pagada pagado tarea cliente caja resumen deshacer cada porfa favor
        """.split()
    ),
    "en": frozenset(
        """
        the a an of to for and or in on at by with without me my i it its is are was has have had did do does what who
        when how much many please paid invoice invoices bill vat hours hour days day each client task till undo send
        issue draft make create mark show tell today tomorrow yesterday last next from this that they them their
        """.split()
    ),
}
