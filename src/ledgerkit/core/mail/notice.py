"""The mail about fiscal records that do not reach the authority, or whose time may be wrong, and what to do."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from babel.dates import format_datetime

from ledgerkit.core.mail.message import Mail, one_line
from ledgerkit.core.mail.rendering import Language, own_mail

Kind = Literal["delayed", "refused", "stopped", "clock", "chain", "renewed"]

_LOCALES = {"es": "es_ES", "en": "en_GB"}
_SUBJECTS = {
    "es": "Registros de facturación sin enviar ({issuer})",
    "en": "Invoice records not sent ({issuer})",
}
_CLOCK_SUBJECTS = {"es": "El reloj del servidor no va bien ({issuer})", "en": "The server's clock is wrong ({issuer})"}
_CHAIN_SUBJECTS = {
    "es": "La cadena de registros no cuadra ({issuer})",
    "en": "The chain of records does not hold ({issuer})",
}
_RENEWED_SUBJECTS = {
    "es": "Ha comenzado una nueva instalación y una nueva cadena ({issuer})",
    "en": "A new installation and a new chain have begun ({issuer})",
}
_ONLY = {"clock": _CLOCK_SUBJECTS, "chain": _CHAIN_SUBJECTS, "renewed": _RENEWED_SUBJECTS}
_WORDS = {
    "es": {
        "delayed": "Hay registros que llevan más de cuatro minutos sin respuesta de la autoridad. Se siguen enviando "
        "solos: no hay que volver a emitir nada. Si dura más de un día, comprueba la conexión y el certificado.",
        "refused": "La autoridad rechaza los envíos enteros por algo que no es de una factura: los datos del "
        "emisor, el certificado o los permisos. Corrígelo; los registros se reintentan solos al menos cada hora.",
        "stopped": "La autoridad ha suspendido este acceso y no se envía nada más. Ponte en contacto con ella; "
        "cuando lo haya resuelto, pide al operador que reanude el envío.",
        "clock": "El reloj de este servidor difiere del de la autoridad en más de un minuto. Pide al operador que lo "
        "sincronice (NTP). Se puede seguir facturando.",
        "chain": "La cadena de registros guardada aquí no cuadra: alguien o algo ha cambiado la base de datos. Se "
        "puede seguir facturando. Pide al operador que la compruebe (ledgerkit verifactu verify).",
        "renewed": "La base de datos ya no es aquella en la que se llevaba la cadena de registros: el próximo registro "
        "abre una cadena nueva, con otro número de instalación. Se puede seguir facturando. Si faltan facturas, "
        "sigue en una serie nueva y pide al operador que compare los últimos meses con la autoridad (ledgerkit "
        "verifactu reconcile).",
    },
    "en": {
        "delayed": "Some records have waited more than four minutes for the authority's answer. They go on being "
        "sent by themselves: nothing has to be emitted again. If it lasts more than a day, check connection and "
        "certificate.",
        "refused": "The authority refuses whole messages for something that is not in an invoice: the issuer's "
        "data, the certificate or its powers. Put it right; records are tried again by themselves at least hourly.",
        "stopped": "The authority has suspended this access, and nothing more is sent. Speak with it; once that is "
        "settled, have the operator resume sending.",
        "clock": "This server's clock differs from the authority's by more than a minute. Have the operator "
        "synchronise it (NTP). Invoicing can go on.",
        "chain": "The chain of records kept here does not hold: somebody or something has changed the database. "
        "Invoicing can go on. Have the operator check it (ledgerkit verifactu verify).",
        "renewed": "The database is no longer the one in which the chain of records was kept: the next record begins "
        "a new chain, under another installation number. Invoicing can go on. If invoices are missing, go on in a new "
        "series, and have the operator compare the last months with the authority (ledgerkit verifactu reconcile).",
    },
}


@dataclass(frozen=True, kw_only=True)
class Notice:
    """What the mail says: the troubles there are, each with the authority's words where it had any, and what waits."""

    language: Language
    to: str
    team_name: str
    issuer: str
    troubles: tuple[Kind, ...]
    details: tuple[str, ...]
    count: int
    oldest_at: datetime | None
    time_zone: str
    link: str


def notice_mail(notice: Notice) -> Mail:
    """Pure. Times are those of the account's place."""
    language, issuer = notice.language, one_line(notice.issuer)
    kinds = set(notice.troubles)
    subjects = _ONLY.get(notice.troubles[0], _SUBJECTS) if len(kinds) == 1 else _SUBJECTS
    oldest = None
    if notice.oldest_at is not None:
        local = notice.oldest_at.astimezone(ZoneInfo(notice.time_zone))
        oldest = format_datetime(local, "long", locale=_LOCALES[language])
    values = {
        "title": subjects[language].format(issuer=issuer),
        "team": one_line(notice.team_name),
        "issuer": issuer,
        "troubles": [
            (_WORDS[language][kind], one_line(said)) for kind, said in zip(notice.troubles, notice.details, strict=True)
        ],
        "count": notice.count,
        "oldest": oldest,
        "link": notice.link,
    }
    return own_mail("notice", language, values, notice.to)
