"""Invoices in a message: client, lines, taxes, days, and whether to issue."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledgerkit.core.messaging.language.dates import Direction, day_at
from ledgerkit.core.messaging.language.lines import lines_of
from ledgerkit.core.messaging.language.message import Message, Span
from ledgerkit.core.messaging.language.names import Mention, Named
from ledgerkit.core.messaging.language.numbers import number_at
from ledgerkit.core.messaging.language.requests import Ask, DraftInvoice, Lack, Line
from ledgerkit.core.messaging.language.words import written

_WANTS = re.compile(
    r"(?<!\S)(?:factura|facturam\w+|facturale\w*|facturar\w*|facturemos|facturarle|fras?|fact|cobra(?:le|les)|minuta|"
    r"invoice|invoicing|bill|charge|facturita)(?!\S)"
)
_MAKING = re.compile(
    r"(?<!\S)(?:haz|hazme|hazle|hazles|haga|hagame|hacer|hace|prepara\w*|crea\w*|genera\w*|emit\w+|emite\w*|saca\w*|pasa(?:le|les)|pon(?:le|me|les)|mete(?:le)?|"
    r"quiero|necesito|quisiera|nueva|una|make|create|draft|issue|raise|prepare|new|an|do|write|need|send|get|put|knock)(?!\S)"
)
_POLITE_WISH = re.compile(
    r"(?:\S+ ){0,4}?(?:can you|could you|would you|will you|can i get|me puedes|puedes|podrias|podria|me haces|haces|le importaria)(?!\S)"
)
_VERB = re.compile(
    r"(?:(?:por favor|porfa|porfavor|please|hola|buenas|oye|hey|hi|venga|va|vale|ok|can you|could you|i'd like you to|i want you to|i need you to|"
    r"me puedes|puedes|podrias|quiero|quisiera|necesito|i want|i need|i'd like|let's|let us|me gustaria|tienes que|hay que|que|to) )*"
    r"(?:(?:haz|hazme|hazle|hazles|haga|hagame|hacer|hacerle|hacerme|hace|prepara|preparame|preparale|prepare|preparar|crea|creame|creale|crear|genera|generame|generar|emite|emiteme|emitele|emitir|emitase|"
    r"saca|sacame|sacale|echale|echales|pasale|pasales|ponle|ponme|pon|metele|mete|manda|mandale|envia|enviale|make|create|draft|issue|raise|prepare|new|nueva|nuevo|do|do up|write|write up|send|get|"
    r"knock up|knock out|apunta|apuntale|apuntame|anota|le hago|hago) )?(?:(?:una|un|la|an|a|another|otra|me|up|out|me up) )*(?:(?:nueva|new|simple|quick|rapida) )?"
    r"(?:facturita|factura|facturas|facturame|facturale|facturales|facturar|facturarle|facturemos|fra|fact|invoice|bill|charge|cobrale|cobrales|minuta)?"
)
_INCLUDED = re.compile(
    r"(?<!\S)(?:(?:con )?(?:el )?(?:iva|vat) (?:ya )?(?:incluido|incluida|inc|incl|included|inclusive|incluid|dentro|in)(?: \.)?|"
    r"(?:con|including|inclusive|incl|inc|with|incluyendo|incluido|incluida)(?: \.)? (?:el |the )?(?:de |of )?(?:iva|vat)(?! (?:del?|al|at|of)? ?\d)(?: (?:todo|incluido|incluida|included|y todo))?|"
    r"(?:llevan?|incluyen?|includes?|lleva ya|llevan ya|ya llevan?|ya incluyen?)(?: ya)?(?: el)? (?:iva|vat)|todo incluido|todo inc|iva y todo|all in|all included|all inclusive|everything included|en total|total|in total|totales|gross|brutos?)(?!\S)"
)
_NET = re.compile(
    r"(?<!\S)(?:(?:mas|\+|plus|y|and)(?: (?:el|su|the))? (?:iva|vat)|(?:iva|vat) (?:aparte|no incluido|not included|excluded|extra|on top)|"
    r"(?:sin incluir|antes de|before|excluding|excl|ex|without including|no incluye|sin contar|not including)(?: \.)?(?: el| the)? (?:iva|vat)|"
    r"(?:de )?base(?: imponible)?|netos?|net(?! \d))(?!\S)"
)
_RATE = r"(?P<{name}>\d{{1,2}}(?:[.,]\d+)?|veintiuno|diez|cuatro|cinco|quince|siete|cero|twenty-one|twenty one|ten|four|zero|fifteen|seven)"
_VAT_RATE = re.compile(
    rf"(?<!\S)(?:(?:mas|\+|plus|con|with|y|and|,)? ?(?:el |the |a |al |at )*(?:iva|vat)(?: (?:del|de|al|at|of|a|el|:|rate|the|reducido|por ciento|=))* {_RATE.format(name='one')}(?: (?:%|por ciento|percent|per cent))?|"
    rf"(?:mas|\+|plus|con|with|y|and|,)? ?(?:el |the |a |al |at |del )*(?<!irpf )(?<!retencion )(?<!ret ){_RATE.format(name='two')} (?:(?:%|por ciento|percent|per cent)(?: (?:de|of|del))*|de|of)(?: el)? (?:iva|vat))(?!\S)"
)
_AT_RATE = re.compile(
    rf"(?<!\S)(?:al|at) {_RATE.format(name='one')} (?:%|por ciento|percent)(?! (?:de )?(?:irpf|retencion))(?!\S)"
)
_NAMED_RATE = re.compile(
    r"(?<!\S)(?:(?:con|al|a|with|at)? ?(?:el |the )?(?:iva|vat|tipo)? ?(?P<name>superreducido|reducido|reduced rate|super reduced|super-reduced)(?: (?:iva|vat))?)(?!\S)"
)
_EXEMPT = re.compile(
    r"(?<!\S)(?:exent[ao](?: de)?(?: iva| vat)?|sin (?:el )?(?:iva|vat)|no (?:iva|vat)|without (?:any )?(?:iva|vat)|(?:iva|vat)[- ](?:free|exempt)|zero[- ](?:rated?|vat)|intracomunitaria|reverse charge|inversion del sujeto pasivo)(?!\S)"
)
_RETENTION_WORD = r"(?:irpf|i\.r\.p\.f|retencion(?:es)?|ret|retention|withholding(?: tax)?|income tax)"
_NO_RETENTION = re.compile(
    rf"(?<!\S)(?:(?:y |and |, ?)?(?:sin|no|without|with no|ni|no le pongas|quita\w*|leave out|con cero)(?: (?:la|el|any|the|le|llev\w+|aplic\w+|pongas|de|hay))* {_RETENTION_WORD}(?: de irpf)?)(?!\S)"
)
_RETENTION = re.compile(
    rf"(?<!\S)(?:(?:y |and |, ?|menos |less |minus |con |with |\+ |- )*(?:el |la |the |un |una |a )*(?:"
    rf"{_RETENTION_WORD}(?: (?:del|de|al|at|of|a|el|:|the|irpf|=))* {_RATE.format(name='one')}(?: (?:%|por ciento|percent|per cent))?(?: (?:de|of) irpf)?|"
    rf"(?<!iva )(?<!vat ){_RATE.format(name='two')} (?:(?:%|por ciento|percent|per cent)(?: (?:de|of|del))*|de|of)(?: la| el)? {_RETENTION_WORD}(?: de irpf)?))(?!\S)"
)
_WITH_RETENTION = re.compile(
    rf"(?<!\S)(?:(?:y |and )?(?:con|with|menos|less|minus)(?: (?:la|el|su|my|the|mi))* {_RETENTION_WORD}(?: (?:de irpf|habitual|de siempre|normal|usual))?)(?!\S)"
)
_SPELT_RATES = {
    **{"veintiuno": 21, "twenty-one": 21, "twenty one": 21, "diez": 10, "ten": 10, "cuatro": 4, "four": 4, "cinco": 5},
    **{"quince": 15, "fifteen": 15, "siete": 7, "seven": 7, "cero": 0, "zero": 0},
}
_NOT_ISSUED = re.compile(
    r"(?<!\S)(?:,? ?(?:pero |but |y |and )?(?:no (?:la|lo|se la|le|me la)? ?(?:envies|mandes|emitas|envies todavia|mandes aun)|sin (?:enviar|emitir|mandar)\w*|"
    r"(?:don't|dont|do not) (?:send|issue)(?: it| that| yet)?|not sent|(?:solo|just|only|en|in|as|como|dejal[ao] en|leave it as|keep it as)(?: a| el| un| the| de)? ?(?:borrador|draft)|"
    r"borrador(?: de)?|draft|sin enviarsela|todavia no|aun no|not yet|yet))(?!\S)"
)
_ISSUED = re.compile(
    r"(?<!\S)(?:(?:y |and |, ?|luego |then |ya |tambien |also |straight away |directamente )*(?:emit\w+|envia(?:sela|la|selo|lo|rsela|rla|le|r|selas)?|mand(?:asela|ala|aselo|arsela|arla|asela|ale|ar|a)|remitesela|"
    r"issue(?: it| the| and)?|send(?: it| that| them)?(?: off| out| over| on| to (?:them|him|her))?|email(?: it)?(?: to (?:them|him|her))?|mail it|ship it|fire it off|(?:que )?se l[ao]s? (?:mandes|envies|mandas|envias|mando|envio)|la mandas|la envias|que salga(?: ya)?(?: la factura)?)(?: (?:ya|tambien|directamente|por (?:mail|correo|email)|al cliente|hoy|ahora|now|today|by (?:email|mail)|mismo|right away|straight away|a \w+))*)(?!\S)"
)
_DUE = re.compile(
    r"(?<!\S)(?:,? ?(?:y |and )?(?:con )?(?:vence|vencimiento|vto|venc|que venza|fecha de (?:vencimiento|pago)|a pagar|pagadera|pagadero|para pagar|pago|plazo(?: de pago)?|cobro|que (?:lo |la |me |nos )?pague\w*|"
    r"due(?: date)?|payable|payment|pay|to be paid|to pay|falling due|que paguen)(?: (?:el|para|a|antes de|hasta|on|by|before|for|the|de|del|in|at|is|it|date|:|within|en|dia))*) "
)
_DATED = re.compile(
    r"(?<!\S)(?:,? ?(?:y |and )?(?:con )?(?:fecha(?:da)?|fecha de (?:emision|factura|hoy)|a fecha|dated|date|issue date|issued)(?: (?:de|del|el|en|a|on|for|the|:|of|is|it))*) "
)
_DAYS_TERM = re.compile(
    r"(?<!\S)(?:,? ?(?:y |and )?(?:con )?(?:(?:pago|vencimiento|cobro|plazo|payment|due|terms?|pagadera|payable|vence|a pagar|vto|net|de)(?: (?:terms?|a|de|en|in|within|is|of|:))* )*(?P<days>\d{1,3}|treinta|sesenta|quince|noventa|diez|thirty|sixty|fifteen|ninety|ten|fourteen|siete|seven) (?:dias|days|d)(?: (?:vista|fecha|factura|net|terms?|payment|de plazo|para pagar|fecha factura|to pay))*)(?!\S)"
)
_TERM_LEAD = re.compile(
    r"pago|vencimiento|cobro|plazo|payment|due|term|pagader|payable|vence|pagar|vto|net|vista|fecha|to pay"
)
_NET_DAYS = re.compile(r"(?<!\S)(?:,? ?(?:and |with )?(?:payment )?(?:terms? )?)?net (?P<days>\d{1,3})(?: days)?(?! ?(?:€|euros?|eur|%))(?!\S)")
_SPELT_DAYS = {
    "treinta": 30,
    "thirty": 30,
    "sesenta": 60,
    "sixty": 60,
    "quince": 15,
    "fifteen": 15,
    "noventa": 90,
    "ninety": 90,
    "diez": 10,
    "ten": 10,
    "fourteen": 14,
    "siete": 7,
    "seven": 7,
}
_CORRECTED = re.compile(
    r"(?<!\S)(?:no (?:perdona|perdon|espera|wait|sorry)|perdon(?:a)?(?= (?:de|a|son|no))|mejor dicho|quiero decir|digo|i mean|scratch that|make that|wait no|"
    r"\d\S* (?:o|or) \d\S*|no me acuerdo|no recuerdo|can't remember|cant remember|not sure|no se si|creo que|i think|mas o menos|around|approx\w*|roughly|un[oa]s(?= \d))(?!\S)"
    r"|(?:ciento|cien|mil|cientos|enta|hundred|thousand|ty)\w*(?: y \S+)? (?:o|or) (?:ciento|cien|mil|dos|tres|one|two|a )"
)
"""Words by which somebody corrects themselves, or says that they are not sure."""

_UNSURE = re.compile(
    r"(?<!\S)(?:descuento\w*|dto|rebaja\w*|discount\w*|(?:%|percent|euros?|\d+|€) off|menos(?= (?:el |la |un |una |los |las )?\d)|menos lo|less (?:the|a|my|his|her|what|\S+ (?:percent|%))|minus|bonificacion|"
    r"limpi[ao]s?|me queden?|en mano|a percibir|take home|after tax|£|gbp|usd|dollars?|pounds?|libras?|dolares|either|todos los meses|cada mes|every month)(?!\S)"
)
"""Words of what a line cannot say: discounts, amounts after tax, repetitions."""

_TO = frozenset({"a", "al", "para", "to", "for", "de", "del", "cliente", "client"})
_POLITE = re.compile(
    r"(?<!\S)(?:thanks a (?:million|lot|bunch)|(?:mil|un millon de|muchas) gracias|por favor|porfa|porfavor|please|gracias|thanks|thank you|cheers|urgente|urgent|hola|venga|oye|hey|ok|vale|ya|now|today|hoy mismo)(?!\S)"
)


@dataclass(frozen=True)
class _Taxes:
    vat_rate: Decimal | None
    vat_included: bool
    retention_rate: Decimal | None
    is_unclear: bool


class _Reading:
    """Reading of one message as an invoice; `free` are the words that nothing has taken."""

    def __init__(self, message: Message, today: date) -> None:
        self.message = message
        self.today = today
        self.free = [True] * len(message.words)

    def take(self, span: Span | Mention) -> None:
        for place in range(span.start, span.end):
            self.free[place] = False

    def takes(self, pattern: re.Pattern[str]) -> bool:
        """Take the words of all matches that are still free; return whether there were any."""
        spans = [span for span in self.message.spans(pattern) if all(self.free[span.start : span.end])]
        for span in spans:
            self.take(span)
        return bool(spans)

    def rate(self, pattern: re.Pattern[str]) -> Decimal | None:
        """Take the words of a rate, and return it in percent."""
        for match in pattern.finditer(self.message.line):
            span = self.message.span(*match.span())
            if not all(self.free[span.start : span.end]):
                continue
            value = next(group for group in match.groups() if group is not None)
            self.take(span)
            return Decimal(_SPELT_RATES[value]) if value in _SPELT_RATES else Decimal(value.replace(",", "."))
        return None

    # ------------------------------------------------------------ parts

    def taxes(self) -> _Taxes:
        retention = Decimal(0) if self.takes(_NO_RETENTION) else self.rate(_RETENTION)
        self.takes(_WITH_RETENTION)
        says_included = any(re.search("inc|llev|todo|all|total|gross|brut", self.message.line[match.start() : match.end()]) for match in _INCLUDED.finditer(self.message.line))
        included = self.takes(_INCLUDED) if says_included else False
        vat = self.rate(_VAT_RATE)
        if vat is None:
            vat = self.rate(_AT_RATE)
        net = self.takes(_NET)
        included = self.takes(_INCLUDED) or included
        named = next(iter(_NAMED_RATE.finditer(self.message.line)), None)
        if vat is None and named is not None and self.takes(_NAMED_RATE):
            vat = Decimal(4) if named["name"].startswith("super") else Decimal(10)
        if vat is None and self.takes(_EXEMPT):
            vat = Decimal(0)
        return _Taxes(vat, included and not net, retention, is_unclear=included and net)

    def due(self) -> tuple[date | None, int | None]:
        for match in _NET_DAYS.finditer(self.message.line):
            self.take(self.message.span(*match.span()))
            return None, int(match["days"])
        for match in _DUE.finditer(self.message.line):
            day = self._day_after(match.end(), Direction.AHEAD)
            if day is not None:
                self.take(self.message.span(*match.span()))
                return day, None
        for match in _DAYS_TERM.finditer(self.message.line):
            begins = re.match(r"\s*(?:a|en) ", self.message.line[max(0, match.start("days") - 2) : match.start("days")])
            if _TERM_LEAD.search(match[0]) or begins:
                self.take(self.message.span(*match.span()))
                place = self.message.span(*match.span()).start - 1
                if place >= 0 and self.message.words[place].plain in {"a", "en", "in", "at"}:
                    self.free[place] = False
                days = match["days"]
                return None, _SPELT_DAYS[days] if days in _SPELT_DAYS else int(days)
        return None, None

    def issued_on(self) -> date | None:
        for match in _DATED.finditer(self.message.line):
            if not self.free[self.message.span(*match.span()).start]:
                continue
            day = self._nearest_day(match.end())
            if day is not None:
                self.take(self.message.span(*match.span()))
                return day
        return None

    def _nearest_day(self, offset: int) -> date | None:
        """Take a day, and return it on the side of today on which it is nearer."""
        ahead, behind = self._day_after(offset, Direction.AHEAD), self._day_after(offset, Direction.BEHIND)
        if ahead is None or behind is None:
            return behind
        return ahead if ahead - self.today < self.today - behind else behind

    def _day_after(self, offset: int, direction: Direction) -> date | None:
        place = self.message.word_at(offset)
        for start in (place, place - 1):
            if not 0 <= start < len(self.free):
                continue
            day = day_at(self.message.words, start, self.message.language)
            if day is not None:
                self.take(Span(day.start, day.end))
                return day.on(self.today, direction)
        return None

    def issue(self) -> bool:
        if self.takes(_NOT_ISSUED):
            self.takes(_ISSUED)
            return False
        return self.takes(_ISSUED)

    def client(self) -> Named | Ask | None:
        """Return the client; a question where several or none of that name are; None where no client was said."""
        chosen = self._chosen()
        if chosen is None:
            return self._unknown()
        self.take(chosen)
        for place in range(chosen.start - 1, max(-1, chosen.start - 5), -1):
            if self.message.words[place].plain not in {
                "a",
                "al",
                "para",
                "to",
                "for",
                "de",
                "del",
                "los",
                "la",
                "el",
                "las",
                "the",
                "cliente",
                "client",
                "nuestro",
                "our",
                "my",
                "amigo",
                "amigos",
                "senor",
                "senora",
                "don",
                "dona",
                "mr",
                "mrs",
                "lads",
                "folks",
                "at",
                "over",
            }:
                break
            self.free[place] = False
        if len(chosen.named) > 1:
            said = written(self.message.text, self.message.words[chosen.start : chosen.end])
            return Ask(lack=Lack.WHICH_CLIENT, candidates=chosen.named, said=said)
        return chosen.named[0]

    def _chosen(self) -> Mention | None:
        mentions = [mention for mention in self.message.mentions if not self._describes(mention)]
        introduced = [mention for mention in mentions if self._is_introduced(mention)]
        ranked = introduced or list(mentions)
        return max(ranked, key=lambda mention: (mention.share == 1, -mention.start), default=None)

    def names_several(self) -> bool:
        """Return True where several clients are to get an invoice."""
        introduced = [mention for mention in self.message.mentions if self._is_introduced(mention)]
        joined = re.search(r"(?<!\S)(?:y otra|and another|cada un[ao] a|tanto a|both)(?!\S)", self.message.line)
        others = [
            mention
            for mention in self.message.mentions
            if mention.start
            and self.message.words[mention.start - 1].plain in {"o", "or", "y", "and"}
            and mention.share > 0.5  # noqa: PLR2004
        ]
        return len(introduced) > 1 and bool(joined or others) or bool(introduced and others)

    def _describes(self, mention: Mention) -> bool:
        """Return True for part of a name after the amount, as in `1,000 for consulting`: it says what was done."""
        before = [word.plain for word in self.message.words[: mention.start]]
        is_after_amount = any(word[:1].isdigit() for word in before)
        is_whole = mention.end - mention.start > 1 or mention.share == 1
        while before and before[-1] in {"la", "el", "los", "las", "the"}:
            before.pop()
        return is_after_amount and not is_whole and before[-1:] not in (["a"], ["para"], ["to"], ["al"])

    def _is_introduced(self, mention: Mention) -> bool:
        place = mention.start - 1
        while place >= 0 and self.message.words[place].plain in {
            "los",
            "la",
            "el",
            "las",
            "the",
            "de",
            "cliente",
            "client",
        }:
            place -= 1
        return place < 0 or self.message.words[place].plain in _TO | {
            "factura",
            "facturale",
            "invoice",
            "bill",
            "charge",
            "facturar",
        }

    def _unknown(self) -> Ask | None:
        """Return the question about a name that no client has: the words after `a`, `para`, `to` or `for`."""
        words = self.message.words
        verb = self.message.spans(_WANTS)
        after_verb = {span.end - 1 for span in verb}
        for place, word in enumerate(words[:-1]):
            begins = word.plain in {"a", "al", "para", "to", "for", "towards"} and self.free[place]
            if word.plain == "for" and any(before.plain[:1].isdigit() for before in words[:place]):
                continue
            if not begins and not (place in after_verb and words[place + 1].text[:1].isupper()):
                continue
            name = []
            for inner in range(place + 1, len(words)):
                following = words[inner]
                if (
                    not self.free[inner]
                    or number_at(words, inner, self.message.language)
                    or following.plain in {"por", "de", "for", ",", "con", "with", ":", "€", "y", "and", "."}
                ):
                    break
                name.append(following)
            while name and name[0].plain in {"la", "el", "los", "las", "the", "un", "una", "mi", "my", "a", "an"}:
                name = name[1:]
            if name and not _is_common(name[0].plain):
                return Ask(lack=Lack.UNKNOWN_CLIENT, said=written(self.message.text, name))
        return None


def _is_common(word: str) -> bool:
    return word in {
        "mi",
        "ti",
        "el",
        "ella",
        "hoy",
        "manana",
        "me",
        "him",
        "her",
        "them",
        "it",
        "today",
        "tomorrow",
        "each",
        "hora",
        "las",
        "emitir",
        "enviar",
    }


def drafted(message: Message, today: date) -> DraftInvoice | Ask | None:
    """Return the invoice that a message wants, or what is lacking; None where it wants none."""
    wants = _WANTS.search(message.line) is not None
    is_question = message.is_question and ("?" in message.line or not wants) and not _POLITE_WISH.match(message.line)
    if is_question and not _MAKING.search(message.line):
        return None
    if not wants and not message.mentions:
        return None
    reading = _Reading(message, today)
    verb = _VERB.match(message.line)
    begins = verb.end() if verb is not None else 0
    says_issue = (
        re.match(
            r"(?:\S+ )*?(?:emit\w+|issue|send|envia\w*|manda\w*)(?: (?!no )\S+){0,5}? (?:una|la|an|a|nueva|new|his|her|their)? ?(?:factura|invoice|fra)(?!\S)",
            message.line,
        )
        is not None
    )
    taxes = reading.taxes()
    unsure = any(all(reading.free[span.start : span.end]) for span in message.spans(_UNSURE))
    due_date, due_days = reading.due()
    issue_date = reading.issued_on()
    client = reading.client()
    if begins:
        span = message.span(0, begins)
        reading.take(span)
    issue = reading.issue()
    reading.takes(_WANTS)
    if issue_date is None:
        issue_date = _loose_day(reading)
    reading.takes(_POLITE)
    lines, is_doubtful = lines_of(message.text, message.words, reading.free, message.language)
    if not lines and not wants:
        return None
    if isinstance(client, Ask):
        return client
    if client is None:
        return Ask(lack=Lack.CLIENT_MISSING if lines or wants else Lack.AMOUNT)
    if not lines:
        return Ask(lack=Lack.AMOUNT) if wants else None
    if is_doubtful or taxes.is_unclear or any(line.unit_price == 0 for line in lines):
        return Ask(lack=Lack.AMBIGUOUS)
    if _CORRECTED.search(message.line) or unsure or reading.names_several():
        return Ask(lack=Lack.AMBIGUOUS)
    if due_date is not None and _is_far(due_date, today):
        return Ask(lack=Lack.AMBIGUOUS)
    is_refused = re.search(
        r"(?<!\S)no (?:la |lo )?(?:envies|mandes|emitas)|don't send|dont send|do not send|borrador|draft", message.line
    )
    return DraftInvoice(
        client=client,
        lines=lines,
        vat_rate=taxes.vat_rate,
        vat_included=taxes.vat_included,
        retention_rate=taxes.retention_rate,
        issue_date=issue_date,
        due_date=due_date,
        due_days=due_days,
        issue=(issue or says_issue) and not is_refused,
    )


def _is_far(due: date, today: date) -> bool:
    return not -1 < (due - today).days < 200  # noqa: PLR2004 - days; a due date that has passed is read as next year's


def _loose_day(reading: _Reading) -> date | None:
    """Take a day with year or month that stands alone, which is that of the issue."""
    words, message = reading.message.words, reading.message
    for place in range(len(words)):
        if not reading.free[place] or words[place].plain in {"a", "la", "de", "el", "the", "for", "para"}:
            continue
        if re.fullmatch(r"\d{4}-\d\d-\d\d|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}", words[place].plain):
            day = day_at(words, place, message.language)
            if day is not None:
                reading.take(Span(day.start, day.end))
                return day.on(reading.today, Direction.BEHIND)
    return None


def total_lines(lines: Sequence[Line]) -> Decimal:
    return sum((line.quantity * line.unit_price for line in lines), Decimal(0))
