"""Grammar of requests: what a message asks for, or what has to be asked back.

It is an ordered list of rules over the message's plain words. The first rule that applies answers; a rule that is not
sure asks back. Nothing here knows the books but the names of clients and tasks.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from ledgerkit.core.messaging.language import periods
from ledgerkit.core.messaging.language.dates import MONTHS, Direction, day_at
from ledgerkit.core.messaging.language.invoices import drafted
from ledgerkit.core.messaging.language.marks import amount_at, invoice_number
from ledgerkit.core.messaging.language.message import Message, Span
from ledgerkit.core.messaging.language.names import Names
from ledgerkit.core.messaging.language.requests import (
    Ask,
    CloseTill,
    CompleteTask,
    CreateTask,
    CreditNote,
    InvoiceRef,
    Lack,
    MarkPaid,
    Question,
    Refusal,
    Refused,
    Request,
    SendInvoice,
    SetDigest,
    Silence,
    Topic,
    Undo,
    Unlink,
)
from ledgerkit.core.messaging.language.words import Word, written


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """Whoever writes: the day in their time zone, their language, and the names that they may mention."""

    today: date
    language: str
    clients: Names
    tasks: Names


def understood(text: str, speaker: Speaker) -> Request:
    """Return what a message asks for. It is never an error: what is not understood is refused as such."""
    message = Message(text, speaker.clients, speaker.language)
    for rule in _RULES:
        request = rule(message, speaker)
        if request is not None:
            return request
    return Refused(refusal=Refusal.NOT_UNDERSTOOD)


Rule = Callable[[Message, Speaker], Request | None]


def _pattern(words: str) -> re.Pattern[str]:
    """Return a pattern of whole words; blanks and line breaks of its text separate alternatives that are written on
    lines of their own."""
    alternatives = [" ".join(line.split()) for line in words.strip().splitlines() if line.strip()]
    return re.compile(rf"(?<!\S)(?:{'|'.join(alternatives)})(?!\S)")


# ------------------------------------------------------------ the chat itself

_GREETING = re.compile(
    r"(?:(?:¡ )?(?:hola+|holi+|buenas+|que tal|ey|hello+|hi+|hey+|good|buenos|muy|dias|tardes|noches|morning|afternoon|evening|ayuda|help"
    r"|start|menu|/|bot|que|tal|there|a|todos|[!.,?¿¡]) ?)+"
)
_HELP = _pattern(
    r"""
    que (?:mas )?(?:puedes|sabes|se puede|cosas|puedo) (?:hacer|pedir|pedirte|decirte|haces).*
    que haces tu
    que puedo (?:hacer|pedirte|preguntarte|decirte).*
    como (?:funciona|funcionas|va) (?:esto|el bot|tu)
    (?:en )?que (?:\S+ ){0,3}ayudar\w*.*
    que (?:\S+ ){0,3}(?:puedes|sabes) (?:hacer|ofrecer).*
    como (?:te uso|se usa|te pido).*
    (?:.* )?(?:para que sirves|que sabes hacer|que cosas me puedes hacer)(?: .*)?
    (?:necesito )?ayuda
    what (?:else )?can (?:you|i|this|it).*
    what do you do
    how (?:do|does) (?:this|it|you|i use).* work
    how do i use.*
    what are you (?:able|for).*
    help(?: me)?(?: please)?
    (?:list of )?(?:commands|comandos|opciones)
    """
)
_UNDO = _pattern(
    r"""
    (?:/ )?(?:deshacer|deshaz|deshazlo|deshago|undo|revert|revierte|revertir|desfaz)
    (?:quita|borra|anula|cancela|elimina|echa atras) (?:lo|eso|esto) (?:ultimo|de antes|que acabo|que acabas|que he hecho)?
    (?:.* )?(?:vuelve|echa|echalo|echala|tira|da marcha) (?:para |pa )?atras(?: .*)?
    (?:eso|lo) que acabas? de hacer (?:esta|estaba) mal.*
    take (?:that|it|the last (?:one|thing)) back
    take back (?:that|the last|what)
    (?:reverse|cancel) (?:that|the last (?:one|thing|action))
    me he (?:equivocado|confundido|colado)
    """
)
_UNLINK = _pattern(
    r"""
    / ?unlink
    / ?desvincular
    unlink .*
    unlink
    desvincul\w+ .*
    desvincul\w+
    desconect\w+ (?:este|esta|mi|el|la|me|del).*
    disconnect .*(?:chat|phone|telegram|account|bot|device)
    """
)
_SILENCE = _pattern(
    r"""
    / ?silencio
    leave me alone.*
    dejame (?:en paz|tranquil[ao]|dormir).*
    silencio
    silencia(?:te|r|me)?
    calla(?:te|do)?
    no me (?:molestes|mandes (?:nada|mas|avisos|mensajes)|escribas|avises|des la (?:lata|brasa|vara)|envies (?:nada|avisos|mensajes|mas)).*
    (?:sin|cero|nada de|para los|quita los|pausa los|basta de|desactiva los) (?:avisos|mensajes|notificaciones).*
    modo silencio
    mute
    (?:be |keep )?quiet
    (?:do not|don't|dont) (?:disturb|bother|message|write to|notify|send|ping) ?(?:me)?.*
    no (?:more )?(?:messages|notifications|pings|alerts).*
    silence
    stop (?:messaging|writing|bothering|pinging|notifying) me.*
    shut up
    hush
    """
)
_SILENCE_OFF = _pattern(
    r"""
    (?:quita|fin|acaba|termina|desactiva|apaga|cancela|fuera|sal) (?:el |del |de )?(?:modo )?silencio
    (?:ya )?(?:puedes|vuelve a|vuelves a) (?:hablar|escribir|avisar|mandar|molestar)\w*.*
    (?:activa|reactiva|quiero otra vez|vuelve a activar) (?:los )?(?:avisos|mensajes|notificaciones).*
    unmute
    (?:end|stop|turn off|switch off) (?:the )?(?:silence|quiet|mute).*
    (?:silence|silencio|mute) (?:off|fuera|no)
    you can (?:talk|write|message|notify|speak).*
    (?:ok )?you can start .*again.*
    (?:start|resume) (?:messaging|notifying|writing).*
    turn (?:the )?(?:messages|notifications|alerts) (?:back )?on.*
    """
)
_DIGEST = r"(?:resumen|digest|daily|diario|summary|parte diario|briefing|recap|rundown|overview)"
_DIGEST_SET = re.compile(
    rf"(?<!\S)(?:{_DIGEST}.*\b(?:a las?|at|sobre las|para las|desde las|off|nunca|quita\w*|fuera|cada dia|every)\b"
    rf"|(?:quita\w*|desactiva\w*|apaga\w*|cancela\w*|no quiero|no me mandes|no me envies|para el|activa\w*|pon\w*|cambia\w*|mueve\w*|pasa\w*"
    rf"|stop|turn off|cancel|disable|switch off|no more|don't send|dont send|no|change|set|move|make|send|mandame|enviame|quiero|manda)\b.*{_DIGEST})"
)
_DIGEST_OFF = re.compile(
    r"(?<!\S)(?:quita\w*|desactiva\w*|apaga\w*|cancela\w*|no quiero|no me mandes|no me envies|para el|off|stop|turn off|cancel|disable|"
    r"switch off|no more|don't|dont|do not|deja de)(?!\S)"
)
_HOUR = re.compile(
    r"(?:(?:a|para|sobre|de) las?|at|to|for|desde las) (?P<hour>\S+(?: y media)?)(?: (?P<half>de la (?:manana|tarde|noche)|am|pm|in the (?:morning|evening|afternoon)|a m|p m|o'clock))?"
)


def _chat(message: Message, _: Speaker) -> Request | None:
    if _GREETING.fullmatch(message.line) or message.says(_HELP):
        return Question(topic=Topic.HELP)
    return None


def _undo(message: Message, _: Speaker) -> Request | None:
    return Undo() if message.says(_UNDO) and not message.mentions else None


def _unlink(message: Message, _: Speaker) -> Request | None:
    return Unlink() if message.says(_UNLINK) and not message.mentions else None


def _silence(message: Message, speaker: Speaker) -> Request | None:
    if message.mentions or re.search(rf"(?<!\S){_INVOICE_WORD}(?!\S)", message.line):
        return None
    if message.says(_SILENCE_OFF):
        return Silence(is_off=True)
    if not message.says(_SILENCE) or re.search(_DIGEST, message.line):
        return None
    return Silence(until=_some_day(message, speaker, Direction.AHEAD))


def _digest(message: Message, _: Speaker) -> Request | None:
    if not re.search(_DIGEST, message.line):
        return None
    hour = _hour(message)
    if message.says(_DIGEST_SET) and hour is not None:
        return SetDigest(hour=hour)
    if message.says(_DIGEST_OFF):
        return SetDigest(hour=None)
    return None


def _hour(message: Message) -> int | None:
    found = _HOUR.search(message.line)
    if found is None:
        return None
    clock = re.fullmatch(r"(\d{1,2})(?::(\d{2}))?(?: y media)?", found["hour"])
    if clock is not None:
        hour = int(clock[1])
    else:
        spelt = amount_at(Message(found["hour"], message.names, message.language).words, 0, message.language)
        if spelt is None:
            return None
        hour = int(spelt.value)
    half = found["half"] or ""
    is_late = "tarde" in half or "noche" in half or "evening" in half or "afternoon" in half or half in {"pm", "p m"}
    hour += 12 if is_late and hour < 12 else 0  # noqa: PLR2004 - hours of a clock
    return hour if 0 <= hour <= 23 else None  # noqa: PLR2004 - hours of a day


# ------------------------------------------------------------ what is not done here

_NOT_HERE = _pattern(
    r"""
    (?:borra|elimina|borrar|eliminar|borrame|eliminame|suprime|delete|remove|erase)(?:me)? (?!lo ultimo|eso|esto).*(?:factura|facturas|fra|fras|f\d\S*|cliente|clientes|todo|todos|cuenta|gasto|gastos|tarea|tareas|invoice|invoices|client|everything|account|expense|expenses|borrador|draft|all).*
    (?:delete|borra|elimina|wipe) (?:all|todo|everything|it all).*
    (?:haz|hazme|hazle|hazles|hacer|hacerle|ordena|ordename|manda|mandale|make|do|send)(?: (?!ha )\S+){0,3}? (?:una |un |a |the )?(?:transferencia|transfer|bizum|bank transfer|wire).*
    (?:transfiere|transfierele|transferir|transfer(?= \S*\d)|wire(?= \S*\d)) .*
    (?:paga|pagale|pagar|pay) (?:le )?(?:a |al |la |el |los |las |the |my )?(?:proveedor|vodafone|papeleria|alquiler|luz|autonomo|rent|supplier|bill|bills|electricity|vendor|impuestos|taxes|hacienda|papelera)\b.*
    (?:.* )?(?:contrasena|password|clave de acceso|pin)(?: .*)?
    (?:invita|invite) .*
    (?:.* )?(?:dar(?:le|me)? acceso|da acceso|dale acceso|give .* access|anade) .*(?:usuario|gestor|gestoria|equipo|colega|team|user|accountant|acceso|access).*
    (?:quote|estimate|presupuesto|proforma) (?:for|to|para|a|de) .*
    (?:hazme|hazle|haz|prepara|preparame|preparale|manda|mandale|envia|enviale|necesito|crea|make|prepare|send|write|do|create|draft)(?: \S+){0,4}? (?:un|una|me a|a|an|up a) (?:presupuesto|presu|quote|estimate|proforma|pro forma|quotation)\b.*
    (?:.* )?(?:cambiar|actualizar|update|change) (?:el |mi |la |my |the |our )?(?:numero de cuenta|iban|direccion|domicilio|nombre|nif|company|address|bank).*
    (?:add|invite) (?:my|a) (?:colleague|accountant|partner|wife|husband|friend).*
    (?:.* )?(?:segun la ley|legalmente|by law)(?: .*)?
    (?:quita|saca) a .* de (?:los |mis )?clientes.*
    (?:puedes |podrias |can you )?(?:llama|llamar|call|ring) (?:tu )?(?:a|al|the|my) .*
    (?:cambia|cambiame|actualiza|modifica|pon|change|update|edit) (?:mi|la|el|los|my|the|our|me la|me el)? ?(?:direccion|domicilio|iban|nif|cuenta (?:bancaria|del banco)|banco|nombre de (?:la )?empresa|razon social|logo|logotipo|tipo de iva|address|bank|bank account|company name|account number|logo|details)\b.*
    (?:.* )?(?:despedir|despido|contratar a|contrata a|hire|fire somebody|nomina|nominas|payroll)(?: .*)?
    (?:.* )?(?:demandar|denunciar|denuncio|denunciarl\w+|abogado|sue|lawyer|legal)(?: .*)?
    (?:.* )?(?:me conviene|es legal|puedo desgravar|puedo deducir|deducirme|desgravarme|is it legal|can i deduct|should i|tax advice|hacerme autonomo|que me recomiendas)(?: .*)?
    (?:presenta|presentame|presentalo|file|submit) (?:me )?(?:el |la |los |the |my )?(?:modelo|303|130|iva|declaracion|vat|tax|form|return|renta|trimestre).*
    (?:pon|ponme|play|cuentame|tell me) .*(?:musica|cancion|chiste|joke|music|song).*
    (?:.* )?(?:que tiempo|el tiempo|weather|futbol|partido|football|receta|recipe|champions|liga|league|lottery|loteria|horoscopo)(?: .*)?
    """
)


def _not_here(message: Message, _: Speaker) -> Request | None:
    return Refused(refusal=Refusal.NOT_HERE) if message.says(_NOT_HERE) else None


# ------------------------------------------------------------ the till

_TILL = _pattern(
    r"""
    cajas?
    tpv
    (?:the |my |close |open |cash |shop )till
    till(?! (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|next|the|\d|i|\w+day))
    cash ?(?:register|drawer|box|desk)
    register
    informe z
    cierre z
    z ?report
    (?:la|el|the|un|una|a) z
    z de (?:hoy|ayer)
    zeta
    arqueo
    """
)
_CLOSE = re.compile(
    r"(?<!\S)(?:cierra\w*|cerrar|cerremos|cierro|cerramos|hacer caja|haz caja|hago caja|haz el cierre|close|cash up|shut|closing)(?!\S)"
)
_Z = re.compile(
    r"(?<!\S)(?:z|zeta|cierre z|z-report|arqueo)(?!\S)|informe z|cierre (?:de )?(?:la caja|caja|ayer|del)|z report"
)


def _till(message: Message, speaker: Speaker) -> Request | None:
    if not message.says(_TILL) and not re.search(r"(?<!\S)(?:cash up|arqueo|el cierre)(?!\S)", message.line):
        return None
    if message.says(_CLOSE) and (message.mentions or message.is_question or re.search(r"(?<!\S)(?:dime|cuanto|how much)(?!\S)", message.line)):
        return Ask(lack=Lack.AMBIGUOUS)
    if message.says(_CLOSE):
        amounts = _amounts(message)
        return CloseTill(counted=amounts[0] if amounts else None)
    if _Z.search(message.line) or re.search(
        r"(?<!\S)(?:ayer|yesterday|anteayer|ayer\?|lunes|martes|jueves|viernes|sabado|last)(?!\S)", message.line
    ):
        day = _some_day(message, speaker, Direction.BEHIND)
        return Question(topic=Topic.Z_REPORT, first=day or speaker.today, last=day or speaker.today)
    return Question(topic=Topic.TILL)


# ------------------------------------------------------------ tasks

_NEW_TASK = re.compile(
    r"^(?:oye |porfa |por favor |please |y |hey |a ver |venga )*"
    r"(?:(?:recuerdame|recordarme|acuerdame|recuerda|hazme acordar|avisame|remind me|remember|don't let me forget|dont let me forget)"
    r"(?: que tengo que| que debo| de| que| to| about| hay que)?"
    r"|(?:apunta\w*|anota\w*|crea\w*|anade\w*|pon\w*|mete\w*|nueva|add\w*|create|new|make|put|set|agrega\w*|necesito|quiero|i need|give me)"
    r"(?: me)?(?: una| un| a| como| as| otra| another| down| in)*(?: nueva| new| pending)? ?(?:tareas?|task|to-do|to do|todo|recordatorio|reminder|pendiente)"
    r"(?: nueva)?(?: de| para| que diga| llamada| to| called| for| about| saying)?"
    r"|(?:tarea|task|to-do|todo|recordatorio|reminder)(?: nueva)? ?:"
    r"|(?:apunta\w*|anot\w*|mete\w*|pon\w*|anade\w*|add|put)(?: me)?(?: en| a| in| to| on)(?: la lista(?: de tareas)?| las tareas| mis tareas| mi lista| my (?:list|tasks|to-do list)| the list)(?: :)?"
    r"|(?:apunta\w*|anot\w*)(?: me)?(?: que)?(?: tengo que| hay que| que)?"
    r"|(?:tengo que acordarme de|que no se me olvide|no me dejes olvidar|need to remember to|note to self ?:?|put .{0,12} on my list ?:?))(?: :)? "
)
_MONEY_THINGS = re.compile(
    r"(?:, )?(?:por favor |porfa |please )?(?:, )?(?:una? |la |el |otra |an? |the )?(?:factura|fra|invoice|pago|cobro|payment|gasto|expense|ingreso|f\d)"
)
_TASK_ENDS = re.compile(
    r"(?:,? ?(?:a|en|to|on) (?:la lista(?: de tareas)?|mi lista|las tareas|mis tareas|my (?:list|tasks|to do list|to-do list)|the list)|,? ?(?:como|as) (?:una |a )?(?:tarea|task)"
    r"|,? (?:porfa|por favor|please|gracias|thanks))$"
)
_DONE = re.compile(
    r"(?<!\S)(?:hech[ao]s?|terminad[ao]|acabad[ao]|completad[ao]|list[ao]|tacha\w*|finiquitad[ao]|completa|cierra|termina|ya (?:he|esta)|done|finished|complete\w*|tick\w*|check off|cross\w*|mark)(?!\S)"
)
_TASKS = _pattern(
    r"""
    tareas?
    tasks?
    to ?- ?dos?
    to do (?:list)?
    todo list
    to-do list
    todos
    pendientes
    (?:que|cosas) (?:tengo|hay|me queda|me quedan|queda|quedan) (?:que|por|pendientes?) ?(?:hacer)?
    mi lista
    my list
    """
)


def _task(message: Message, speaker: Speaker) -> Request | None:
    begins = _NEW_TASK.match(message.line)
    is_plain = begins is not None and not re.search(
        r"tarea|task|to-do|to do|todo|recordatorio|remind|recu?erda|pendiente|list", begins[0]
    )
    if is_plain and (message.mentions and (_amounts(message) or _PAID.search(message.line))):
        begins = None
    names_money = begins is not None and re.match(_MONEY_THINGS, message.line[begins.end() :]) is not None
    if begins is not None and not names_money and "?" not in message.line:
        return _new_task(message, speaker, begins.end())
    listed = re.match(
        r"(?:add|put|pon|apunta|anota|mete|anade|agrega) (?P<title>.+?) (?:to|on|en|a) (?:my|the|la|mi|mis) (?:list|lista|tareas|tasks|to-do|to do)(?: \S+)*$",
        message.line,
    )
    if listed is not None:
        return _new_task(message, speaker, listed.start("title"))
    mentioned = speaker.tasks.mentions(message.words)
    if mentioned and message.says(_DONE) and not message.is_question:
        best = max(mentioned, key=lambda mention: (mention.share, mention.end - mention.start))
        if len(best.named) == 1:
            return CompleteTask(task=best.named[0], title=best.named[0].name)
    return None


_TASK_LIST = re.compile(r"(?<!\S)(?:to-do list|to do list|to - do list|todo list|lista de tareas|mis tareas|my tasks|task list)(?!\S)")


def _tasks(message: Message, _: Speaker) -> Request | None:
    return Question(topic=Topic.TASKS) if message.says(_TASKS) and not _amounts(message) else None


def _new_task(message: Message, speaker: Speaker, offset: int) -> Request | None:
    first = message.word_at(offset)
    words = message.words[first:]
    ending = _TASK_ENDS.search(" ".join(word.plain for word in words))
    if ending is not None:
        words = words[: len(words) - len(ending[0].split())]
    day, words = _without_day(words, message, speaker)
    title = written(message.text, _stripped(words))
    if not title:
        return None
    return CreateTask(title=title[:1].upper() + title[1:], due_date=day)


def _without_day(words: Sequence[Word], message: Message, speaker: Speaker) -> tuple[date | None, list[Word]]:
    """Return the day that stands at an end of the words, and the words without it."""
    stripped = _stripped(words)
    for place in range(len(stripped)):
        day = day_at(stripped, place, message.language)
        if day is None:
            continue
        rest = _stripped(stripped[day.end :])
        if (
            place == 0
            or not rest
            or all(word.plain in {"a", "las", "at", "am", "pm", "h"} or word.plain[0].isdigit() for word in rest)
        ):
            before = stripped[:place]
            while before and before[-1].plain in {
                "para",
                "el",
                "con",
                "fecha",
                "limite",
                "como",
                "tope",
                "vencimiento",
                "due",
                "deadline",
                "antes",
                "de",
                "by",
                "on",
                "for",
                "before",
                "this",
                "a",
                "the",
                "del",
                "que",
                "sea",
                ",",
            }:
                before = before[:-1]
            return day.on(speaker.today, Direction.AHEAD), list(before or rest)
    return None, list(stripped)


def _stripped(words: Sequence[Word]) -> list[Word]:
    first, last = 0, len(words)
    if [word.plain for word in words[:2]] in (["tengo", "que"], ["hay", "que"], ["i", "need"], ["i", "must"]):
        first = 2
    small = {",", ".", ":", ";", "!", "-", "que", "to", "de", '"', "“", "”", "«", "»", "'"}
    while first < last and words[first].plain in small:
        first += 1
    while last > first and words[last - 1].plain in {
        ",",
        ".",
        ":",
        ";",
        "!",
        "-",
        '"',
        "”",
        "»",
        "'",
        "porfa",
        "please",
    }:
        last -= 1
    return list(words[first:last])


# ------------------------------------------------------------ invoices that stand

_CREDIT = _pattern(
    r"""
    rectificativa?
    rectific\w+
    factura rectificativa
    (?:un|una|el|hazme|haz|emite|nota de) abono
    abono (?:de |a |por |para )?(?:la|el|numero|factura|f\d).*
    credit \d.*
    abonale
    abona(?:r|me)? (?:la|el|le|\d).*
    nota de credito
    credit note
    credit (?:them|him|her|invoice|number|no|back|f\d).*
    (?:anula|anular|cancela|cancelar|annul|cancel|void|reverse) (?:la |el |the |)?(?:factura|invoice|numero|number|f\d|la \d|de ).*
    refund
    devuelve(?:le)? .*
    """
)
_PAID = re.compile(
    r"(?<!\S)(?:pagad[ao]s?|pagao|pago(?= (?:ayer|hoy|el|la|por|con|en|su|ya|anteayer|esta))|(?:ya|me|lo|la|nos) pago|pagaron|cobrad[ao]s?|cobrao|cobre|cobramos|ingresad[ao]s?|ingresaron|ingresao|abonad[ao]s?|abono(?= (?:la|el|su|ayer|hoy))|liquidad[ao]s?|liquido|saldad[ao]s?|"
    r"transferid[ao]|transfirio|soltad[ao]|soltao|apoquinad[ao]|apoquino|satisfecho|satisfizo|recibido|he cobrado|me ha llegado|me han llegado|done the payment|made the payment|esta en el banco|acaban? de pagar\w*|hizo (?:el |un |la )?(?:bizum|transferencia|ingreso|pago)|me dio(?= \d)|me dieron|wire|came through|gave me(?= \S*\d)|transferido|bizumed|bizumeado|dado (?=\S+ (?:€ |euros? )?a cuenta)|a cuenta|se cobro|after paying|hecho (?:\S+ )?(?:un |el |la |una )?(?:bizum|transferencia|ingreso|pago)|"
    r"paid|pays|pay(?= ?\?)|pay me|settled|received|got paid|cleared|transferred|coughed up|paid up|came in|landed|arrived|got(?= \S+ (?:euros? |eur |€ )?(?:from|off)))(?!\S)"
)
_PAYMENT_NOTED = re.compile(
    r"(?<!\S)(?:anot\w+|apunt\w+|registr\w+|record|note|log|add|recibid[ao]|received?|got|mete|pon\w*|a cuenta|parcial|partial|part)(?!\S).*(?<!\S)(?:pago|cobro|payment|ingreso)(?!\S)|(?<!\S)(?:pago|cobro|payment|ingreso) (?:parcial|recibido|de \S+ de|received|from|a cuenta)"
)
_PAID_QUESTION = re.compile(
    r"(?<!\S)(?:esta|estan|ha|han|me ha|me han|has|have|did|is|are|was|sabes si|se ha|ya ha|llego|hemos)\b.*"
)
_MARK = re.compile(
    r"(?<!\S)(?:marca\w*|pon\w*|apunta\w*|anota\w*|registra\w*|mark|record|put|set|note|log|da(?:la)? por|dame por)(?!\S)"
)
_METHODS = {
    "transfer": r"transferencia|transfer|transferid\w+|transfirio|bank transfer|transf|wire|transferred|por banco|por el banco|en el banco|by bank|bank",
    "cash": r"efectivo|metalico|cash|en mano|contante|billetes",
    "card": r"tarjeta|card|visa|datafono|con la visa",
    "bizum": r"bizum\w*|bizun|visum|por bizum",
}
_INVOICE_WORD = r"(?:facturas?|fras?|fact|invoices?|bill|recibo|f\d\S*)"
_STATE = _pattern(
    r"""
    estado
    status
    como (?:va|esta|anda|sigue) .*
    (?:ha|han|la ha|lo ha|las ha) (?:visto|abierto|leido|mirado|recibido)
    (?:aceptad[ao]s?|rechazad[ao]s?|registrad[ao]s?|admitid[ao])
    (?:vista|abierta|leida)
    (?:seen|opened|viewed|read|accepted|rejected|registered)
    (?:open|opened|see|seen|view|viewed|got|get|received|receive) (?:the|my|their|our|number|invoice|it).*
    que (?:paso|pasa|hay|se sabe) (?:con|de) .*
    what (?:happened|about|is happening|'s happening|is up) (?:with|to|about)? ?.*
    (?:hacienda|aeat|agencia tributaria|tax agency|tax office)
    """
)
_PDF = _pattern(
    r"""
    pdf
    (?:ensename|muestrame|pasame|dame|enviame|mandame|ponme|sacame|dejame ver|quiero ver|ver|a ver|bajame|descarga\w*|imprime\w*|show me|show|give me|send me|let me see|i want to see|can i see|can i have|download|see|get me|print) (?:aqui )?(?:la |el |the |una |mi |my |a |copia|copy|of|de |del |invoice|factura|fra|f\d|numero|number).*
    """
)
_SEND = re.compile(
    r"(?<!\S)(?:envi\w+|reenvi\w+|mand\w+|remand\w+|remit\w*|pasa(?:le|sela|sel[ao]|les)|vuelve\w* a (?:mandar|enviar|pasar)\w*|send|resend|re-send|forward|email|e-mail|mail|again)(?!\S)"
)


_MONTH_NAMES = "|".join(name for name in MONTHS if len(name) > 3 or name == "may")  # noqa: PLR2004 - whole names
_OF_MONTH = re.compile(
    rf"(?<!\S)(?:(?:la|factura|fra) (?:\S+ )?de (?P<es>{_MONTH_NAMES})|(?:the )?(?P<en>{_MONTH_NAMES}) (?:one|invoice|bill))(?!\S)"
)


def _invoice_ref(message: Message, *, amounts: bool = True) -> InvoiceRef | None:
    """Return the invoice that a message refers to; None where it refers to none."""
    mentions = message.mentions
    client = mentions[0].named[0] if mentions and len(mentions[0].named) == 1 else None
    named = {place for mention in mentions for place in range(mention.start, mention.end)}
    for place in range(len(message.words)):
        if place in named or _is_in_day(message, place):
            continue
        number = invoice_number(message.words, place)
        if number is not None and not any(inner in named for inner in range(place, number[1])):
            return InvoiceRef(number=number[0], client=client)
    is_draft = bool(re.search(r"(?<!\S)(?:borrador|draft)(?!\S)", message.line))
    is_last = bool(re.search(r"(?<!\S)(?:ultima|ultimo|last|latest|most recent|mas reciente)(?!\S)", message.line))
    is_overdue = bool(re.search(r"(?<!\S)(?:vencid[ao]s?|atrasad[ao]|overdue|late one)(?!\S)", message.line))
    month = _month_of_invoice(message)
    values = _amounts(message) if amounts else []
    if client is None and not is_last and not is_draft and not values and month is None:
        return None
    return InvoiceRef(
        client=client,
        amount=values[0] if values else None,
        month=month,
        is_last=is_last,
        is_draft=is_draft,
        is_overdue=is_overdue,
    )


def _month_of_invoice(message: Message) -> int | None:
    """Return the month in `la factura de enero` and `the January one`."""
    found = _OF_MONTH.search(message.line)
    return None if found is None else MONTHS[found["es"] or found["en"]]


def _is_in_day(message: Message, place: int) -> bool:
    day = day_at(message.words, place, message.language)
    if day is None:
        return False
    return message.words[place].plain not in {"la", "number", "factura", "numero", "invoice", "no", "fra"}


def _unclear_client(message: Message) -> Ask | None:
    """Return the question which client is meant, where a name is that of several."""
    for mention in message.mentions:
        if len(mention.named) > 1:
            return Ask(lack=Lack.WHICH_CLIENT, candidates=mention.named, said=_said(message, mention))
    return None


def _said(message: Message, span: Span | object) -> str:
    start, end = getattr(span, "start"), getattr(span, "end")  # noqa: B009
    return written(message.text, message.words[start:end])


_MAKES_ANOTHER = re.compile(
    r"(?<!\S)(?:y|and|,|;|\.) (?:(?:luego|then|also|tambien) )?(?:hazle|haz|hazme|factura\w+|invoice|bill|make|emite|crea) (?!la |it )"
)
"""A second wish, for an invoice, after the first one."""


def _credit(message: Message, _: Speaker) -> Request | None:
    if not message.says(_CREDIT):
        return None
    if re.search(
        r"(?<!\S)(?:y|and|,|;|\.) (?:(?:luego|then|also|tambien) )?(?:hazle|haz|hazme|factura\w*|invoice|bill|make|emite|crea) (?!la |it )",
        message.line,
    ):
        return Ask(lack=Lack.AMBIGUOUS)
    if re.search(r"(?<!\S)(?:ha|han|has|have|me) (?:\S+ )?(?:abonad[ao]|abono(?! de))", message.line):
        return None
    reference = _invoice_ref(message)
    follows = re.search(
        r"(?:credit note|rectificativa|abono|credit|refund) (?:for|of|on|to|de|a|para) (\d{1,4})(?! ?(?:€|euros?|eur)\b)(?!\S)",
        message.line,
    )
    if follows is not None and (reference is None or reference.number is None):
        reference = InvoiceRef(number=follows[1])
    if reference is None:
        return _unclear_client(message) or Ask(lack=Lack.WHICH_INVOICE)
    unclear = None if reference.number else _unclear_client(message)
    amounts = _amounts(message)
    if follows is not None:
        amounts = [amount for amount in amounts if amount != Decimal(follows[1])]
    return unclear or CreditNote(invoice=reference, amount=amounts[0] if amounts else None)


def _payment(message: Message, speaker: Speaker) -> Request | None:
    says_paid = _PAID.search(message.line) or _PAYMENT_NOTED.search(message.line)
    if not says_paid or re.search(
        r"(?<!\S)(?:no (?:me )?(?:ha|han)|sin pagar|por pagar|to be paid|que pague\w*|a pagar|not paid|hasn't|haven't|unpaid|who)(?!\S)",
        message.line,
    ):
        return None
    if re.search(r"(?<!\S)(?:debo|owe|proveedor\w*|supplier\w*)(?!\S)", message.line):
        return None
    asks = message.is_question and not _MARK.search(message.line)
    begins_so = re.match(r"(?:¿ )?(?:me )?(?:ha|han|esta|estan|has|have|did|is|are|was|ya)\b", message.line) is not None
    if "?" in message.line and not _MARK.search(message.line):
        asks = True
    elif begins_so and message.language == "es" and "?" not in message.line:
        asks = re.match(r"(?:esta|estan) ", message.line) is not None
    reference = _invoice_ref(message)
    unclear = None if reference is not None and reference.number else _unclear_client(message)
    if unclear is not None:
        return unclear
    if asks:
        if reference is None:
            return None
        return Question(topic=Topic.INVOICE_STATE, client=reference.client, invoice=reference)
    if reference is None:
        return Ask(lack=Lack.WHICH_INVOICE)
    method = next(
        (name for name, words in _METHODS.items() if re.search(rf"(?<!\S)(?:{words})(?!\S)", message.line)), None
    )
    part = _part(message)
    return MarkPaid(invoice=reference, date=_some_day(message, speaker, Direction.BEHIND), amount=part, method=method)


def _part(message: Message) -> Decimal | None:
    amounts = _amounts(message)
    return amounts[0] if amounts else None


def _existing(message: Message, _: Speaker) -> Request | None:
    """Look at or send an invoice that stands."""
    says_invoice = re.search(rf"(?<!\S){_INVOICE_WORD}(?!\S)", message.line) is not None
    reference = _invoice_ref(message, amounts=False)
    sends = _SEND.search(message.line) is not None
    if reference is None and not says_invoice:
        return None
    amounts = _amounts(message)
    if (message.says(_OVERDUE) or message.says(_RECEIVABLES)) and (reference is None or not reference.number) and not sends:
        return None
    names_invoice = says_invoice or (reference is not None and (reference.number or reference.is_last))
    if message.says(_PDF) and (names_invoice or "pdf" in message.line) and not amounts:
        return _of_invoice(message, reference, Topic.INVOICE_PDF)
    if message.says(_STATE) and (message.is_question or not sends):
        return _of_invoice(message, reference, Topic.INVOICE_STATE)
    asks_for_fact = message.says(_CLIENT_FACT) and not says_invoice and (reference is None or not reference.number)
    if sends and not amounts and not (asks_for_fact and message.is_question):
        if reference is None:
            return _unclear_client(message) or Ask(lack=Lack.WHICH_INVOICE)
        return (None if reference.number else _unclear_client(message)) or SendInvoice(invoice=reference)
    return None


def _of_invoice(message: Message, reference: InvoiceRef | None, topic: Topic) -> Request:
    if reference is None:
        return _unclear_client(message) or Ask(lack=Lack.WHICH_INVOICE)
    unclear = None if reference.number else _unclear_client(message)
    return unclear or Question(topic=topic, client=reference.client, invoice=reference)


# ------------------------------------------------------------ questions about the books

_RECEIVABLES = _pattern(
    r"""
    (?:me|nos) (?:debe|deben|adeuda|adeudan)
    (?:quien|quienes|cuanto|que|cuantos|lo que) (?:me |nos )?(?:debe|deben|adeuda|falta por cobrar|queda por cobrar)
    por cobrar
    (?:pendientes?|pdte|pdtes) de (?:cobro|cobrar|pago|pagar|cobros)
    sin (?:cobrar|pagar)
    impagad[ao]s?
    (?:facturas|cobros|fras) (?:pendientes|abiertas|sin pagar|sin cobrar)
    (?:owe|owes|owed|owing) (?:to )?(?:me|us)
    (?:outstanding|unpaid|receivables?|open invoices|uncollected)
    am i owed
    i'm owed
    i am owed
    still (?:to come in|to be paid|open|waiting)
    (?:who|what) (?:has not|hasn't|haven't) (?:been )?paid.*
    (?:pagos|cobros) pendientes.*
    (?:queda|quedan|falta|faltan) (?:por|para|de|que) (?:cobrar|pagarme|me paguen|pagar).*
    (?:no me ha|no me han|no ha|no han) pagado
    debe .*
    (?:does|do) .* owe
    """
)
_OVERDUE = _pattern(
    r"""
    vencid[ao]s?
    (?:ha|han|se ha|se han) (?:vencido|pasado de fecha|pasado de plazo)
    atrasad[ao]s?
    con retraso
    (?:va|van|llega|llegan) (?:\S+ )?tarde(?: con)?.*
    tarde con .*
    retrasad[ao]s?
    (?:fuera|pasad[ao]s?) de plazo
    moros[ao]s?
    overdue
    (?:is|are|who's|whos) (?:.* )?late
    pasad[ao]s? (?:del|de|el) (?:el )?plazo
    (?:pasad[ao]s?|pasao) de (?:la |su )?fecha
    late (?:payers?|invoices?|payments?|paying)
    past (?:due|their due|its due).*
    behind (?:on|with).*
    """
)
_PAYABLES = _pattern(
    r"""
    (?:que|cuanto|a quien|a quienes|lo que|quien) (?:les |le )?(?:debo|tengo que pagar|me toca pagar|hay que pagar).*
    (?:debo|adeudo) (?:yo )?(?:a|algo|pasta|dinero|mucho|en)?.*
    (?:pagar|pagos|deudas|facturas|recibos|pendiente|pendientes).* (?:a |de |con )?(?:los |mis )?proveedor(?:es)?
    proveedores
    (?:por|pendientes? de|para) pagar
    (?:do|should|must|what|who|how much)?.*\bi owe\b.*
    (?:payables?|suppliers?|vendors?)
    bills?.*(?:pay|due|open|outstanding|unpaid)
    (?:unpaid|open|outstanding) bills?
    (?:need|have) to pay.*
    """
)
_FILING = _pattern(
    r"""
    (?:que|cuando|cuales|cual|hasta cuando|hay|tengo|toca|me toca|toca que|algo).*(?:presentar|presento|presenta|modelos?|declarar|declaracion|declaraciones|impuestos|hacienda|trimestrales|trimestral)\b.*
    (?:proxim[ao]s?|fecha|fechas|plazo|plazos|calendario) .*(?:hacienda|impuestos?|modelos?|presentar|fiscal(?:es)?|presentacion|declaracion|303|130|iva).*
    calendario fiscal
    (?:plazo|fecha|cuando) .*(?:303|130|390|347|349|111|115|100|irpf|iva)
    (?:what|when|which|do i|is there|any|anything).*(?:to file|file|filing|tax forms?|tax deadlines?|taxes|tax returns?|deadline|returns?|modelo|due to the tax|forms)\b.*
    (?:tax|filing) (?:calendar|deadlines?|dates?|forms?|obligations)
    obligaciones fiscales
    modelos
    """
)
_HOW_MUCH = r"(?<!\S)(?:cuanto|how much|a pagar|sale|me sale)(?!\S)"
_SUPPLIER = r"(?<!\S)(?:proveedor\w*|supplier\w*|vendor\w*|vencid\w*|overdue|facturas?|invoices?)(?!\S)"
_VAT = re.compile(r"(?<!\S)(?:iva|i\.v\.a|vat|303)(?!\S)")
_RESULTS = _pattern(
    r"""
    (?:cuanto|que|cuantos?) (?:he|hemos|llevo|llevamos|habre|haya|va|gane|facture|ingrese|gaste) ?(?:yo )?(?:facturado|ganado|ingresado|gastado|cobrado|vendido|sacado|hecho)?.*
    (?:facturacion|ingresos|gastos|beneficios?|ganancias?|resultados?|rendimiento|ventas|balance|numeros|margen|cuentas)
    (?:he|hemos|llevo) (?:facturado|ganado|ingresado|gastado)
    (?:how much|what).*(?:i|we) (?:make|made|earn|earned|invoice|invoiced|bill|billed|spend|spent|bring in|brought in|turned over|turn over|sell|sold|taken|gross).*
    how (?:did|have|am|are) (?:i|we) (?:do|done|doing|been doing|going).*
    (?:como|que tal) (?:me |nos )?(?:fue|ha ido|voy|vamos|va|he ido|llevo|va el negocio)\b.*
    (?:income|revenue|turnover|profit|earnings|expenses|results|sales|takings|spending|bottom line|p&l)
    """
)
_CLIENT_FACT = _pattern(
    r"""
    (?:telefono|tfno|tlf|telf|tel|movil|numero de telefono|correo|mail|email|e-mail|direccion|domicilio|nif|cif|dni|datos|ficha|contacto|razon social|codigo postal)
    (?:phone|phone number|mobile|number for|address|vat number|tax id|tax number|contact|details|card|info|information|ficha)
    (?:donde|where) .*(?:vive|esta|estan|live|lives|based|is)
    """
)
_DIGEST_ASK = _pattern(
    rf"""
    {_DIGEST}
    (?:que|como) (?:tengo|hay|toca|pinta|viene|se presenta) (?:para )?(?:hoy|el dia)
    (?:que|como) (?:tal )?(?:el dia|va el dia|va la cosa|van las cosas|esta el patio)
    que (?:hay|tengo) (?:de nuevo|pendiente) ?(?:para )?(?:hoy)?
    (?:what's|what is|whats) (?:up|on|new|happening|there|waiting|to do|going on)?.*(?:today|this morning|for me)
    what (?:have i|'s|is|do i have)(?: got)? on (?:for )?(?:today)?
    what do i (?:have|need) (?:on |to do )?(?:for )?today
    (?:anything|something) (?:for|due|to do|urgent|pressing|on|new|i should).*
    (?:my|mi) (?:day|dia)
    el dia de hoy
    (?:ponme|put me) al dia.*
    """
)


def _books(message: Message, speaker: Speaker) -> Request | None:
    """Answer a question about money, taxes, clients or the day."""
    if message.says(_TASK_LIST):
        return Question(topic=Topic.TASKS)
    unclear = _unclear_client(message)
    amounts = _amounts(message)
    asks_vat = (
        _VAT.search(message.line) and not message.mentions and not amounts and not re.search(_SUPPLIER, message.line)
    )
    if asks_vat and not (message.says(_FILING) and not re.search(_HOW_MUCH, message.line)):
        first, last = periods.quarter(message, speaker.today)
        return Question(topic=Topic.VAT, first=first, last=last)
    client = None if unclear or not message.mentions else message.mentions[0].named[0]
    if message.says(_OVERDUE):
        return unclear or Question(topic=Topic.OVERDUE, client=client)
    if message.says(_PAYABLES) and not message.says(re.compile(r"(?<!\S)(?:me|nos) (?:debe|deben)(?!\S)|owes? me")):
        return Question(topic=Topic.PAYABLES)
    if message.says(_RECEIVABLES):
        return unclear or Question(topic=Topic.RECEIVABLES, client=client)
    if message.says(_FILING) and not re.search(_HOW_MUCH, message.line):
        return Question(topic=Topic.FILING)
    if (client is not None or unclear) and message.says(_CLIENT_FACT) and not amounts:
        return unclear or Question(topic=Topic.CLIENT, client=client)
    if message.says(_RESULTS) and not message.mentions:
        first, last = periods.period(message, speaker.today)
        return Question(topic=Topic.RESULTS, first=first, last=last)
    if message.says(_DIGEST_ASK):
        return Question(topic=Topic.DIGEST)
    return None


def _client_alone(message: Message, _: Speaker) -> Request | None:
    """Show a client whose name is all that was said, or who is looked for."""
    if not message.mentions or _amounts(message):
        return None
    unclear = _unclear_client(message)
    rest = len(message.words) - sum(mention.end - mention.start for mention in message.mentions)
    looks = re.search(
        r"(?<!\S)(?:busca\w*|encuentra\w*|cliente|quien es|find|look up|search|who is|who's|client|customer|ficha)(?!\S)",
        message.line,
    )
    if rest > 2 and not looks:  # noqa: PLR2004 - an article and a sign
        return None
    return unclear or Question(topic=Topic.CLIENT, client=message.mentions[0].named[0])


# ------------------------------------------------------------ amounts and days


def _amounts(message: Message) -> list[Decimal]:
    """Return the amounts of money that a message states, beside names, days, rates and invoice numbers."""
    named = {place for mention in message.mentions for place in range(mention.start, mention.end)}
    values: list[Decimal] = []
    place = 0
    while place < len(message.words):
        number = None if place in named else invoice_number(message.words, place)
        day = None if place in named or number else day_at(message.words, place, message.language)
        if number is not None:
            place = number[1]
            continue
        if day is not None:
            place = max(day.end, place + 1)
            continue
        amount = None if place in named else amount_at(message.words, place, message.language)
        if (
            amount is None
            or amount.end - amount.start == 1
            and message.words[place].plain in {"un", "una", "uno", "one"}
        ):
            place += 1
            continue
        following = message.words[amount.end].plain if amount.end < len(message.words) else ""
        before = message.words[amount.start - 1].plain if amount.start else ""
        is_money = amount.has_currency or (
            following not in {"%", "er", "º", "t", "trimestre", "dias", "days", "semanas", "weeks", "meses", "months"}
            and before not in {"trimestre", "q", "t"}
        )
        if is_money and not (
            1900 < amount.value < 2100 and amount.value == int(amount.value) and not amount.has_currency
        ):  # noqa: PLR2004 - years
            values.append(amount.value)
        place = amount.end
    return values


def _some_day(message: Message, speaker: Speaker, direction: Direction) -> date | None:
    skipped = {place for span in message.spans(_OF_MONTH) for place in range(span.start, span.end)}
    named = {place for mention in message.mentions for place in range(mention.start, mention.end)}
    for place in range(len(message.words)):
        if place in named or place in skipped:
            continue
        day = day_at(message.words, place, message.language)
        if day is not None:
            return day.on(speaker.today, direction)
    return None


def _draft(message: Message, speaker: Speaker) -> Request | None:
    return drafted(message, speaker.today)


_RULES: Sequence[Rule] = (
    _chat,
    _undo,
    _unlink,
    _silence,
    _digest,
    _task,
    _not_here,
    _till,
    _credit,
    _payment,
    _existing,
    _draft,
    _books,
    _tasks,
    _client_alone,
)
