"""Layouts of receipts (simplified invoices) that the rules were tuned on."""

from decimal import Decimal

from support.receipts.paper import Cell, Paper
from support.receipts.truth import Truth, Writer, cents, company_tax_id, day, inclusive, personal_tax_id, shown_tax_id

STREETS = ("C/ Mayor", "Avda. de la Constitución", "Plaza de España", "Calle Alcalá", "Paseo de la Castellana")
TOWNS = ("28013 Madrid", "08001 Barcelona", "41001 Sevilla", "46002 Valencia", "50003 Zaragoza", "33003 Oviedo")
BARS = ("Bar La Esquina", "Cafetería Ópera", "Bar Casa Paco", "Cervecería Santa Ana", "Café Comercial")
STATIONS = ("Estación de Servicio El Pinar S.L.", "Repostajes del Norte S.L.", "Gasóleos Castilla S.A.")
SHOPS = ("Supermercados La Plaza S.A.", "Alimentación Hermanos Ruiz S.L.", "Mercado Fresco Levante S.L.")
RESTAURANTS = ("Restaurante Casa Lucía S.L.", "Asador El Fogón S.L.", "Mesón del Camino", "La Tagliatella Real S.L.")
FOOD = (("Café con leche", 10), ("Tostada tomate", 10), ("Caña", 10), ("Pincho tortilla", 10), ("Agua mineral", 10))
GROCERIES = (
    *(("Leche entera 1L", 4), ("Pan de molde", 4), ("Huevos L 12u", 4), ("Aceite oliva 1L", 4)),
    *(("Yogur natural", 10), ("Galletas maría", 10), ("Café molido", 10), ("Zumo piña", 10)),
    *(("Detergente", 21), ("Papel cocina", 21), ("Champú", 21), ("Vino tinto", 21)),
)
DISHES = (
    "Menú del día",
    "Ensalada mixta",
    "Entrecot",
    "Merluza plancha",
    "Flan casero",
    "Botella Rioja",
    "Pan y aperitivo",
)


def heading(paper: Paper, writer: Writer, names: tuple[str, ...], *, person: bool = False) -> tuple[str, str]:
    """Write vendor, address, tax identifier; return name and identifier."""
    dice = writer.dice
    name = writer.say(dice.choice(names))
    tax_id = personal_tax_id(dice) if person else company_tax_id(dice)
    paper.centre(name, bold=True, scale=dice.choice([1.0, 1.2, 1.5]))
    label = dice.choice(["NIF: ", "CIF: ", "N.I.F. ", "C.I.F.: ", "NIF ", "CIF/NIF: "])
    identifier = label + shown_tax_id(dice, tax_id)
    street = f"{dice.choice(STREETS)}, {dice.randint(1, 190)}"
    lines = [writer.say(street), writer.say(dice.choice(TOWNS)), identifier]
    if dice.random() < 0.3:
        lines = [lines[2], lines[0], lines[1]]
    for line in lines:
        paper.centre(line)
    if dice.random() < 0.6:
        paper.centre(f"Tel. 9{dice.randint(10, 99)} {dice.randint(100, 999)} {dice.randint(100, 999)}")
    return name, tax_id


def stamp(paper: Paper, writer: Writer) -> tuple[str, object]:
    """Write number and date of a ticket; return them."""
    dice = writer.dice
    issued = day(dice)
    number = dice.choice(
        [f"T{issued:%y}-{dice.randint(1, 9999):06d}", f"{dice.randint(1000, 99999)}", f"A/{dice.randint(100, 9999)}"]
    )
    clock = f"{dice.randint(7, 23):02d}:{dice.randint(0, 59):02d}"
    label = writer.say(dice.choice(["Factura simplificada", "Fra. simplificada", "Ticket"]))
    form = dice.randint(0, 2)
    if form == 0:
        paper.left(f"{label}: {number}")
        paper.left(f"{writer.say('Fecha')}: {writer.day(issued)}  {writer.say('Hora')}: {clock}")
    elif form == 1:
        paper.centre(label)
        paper.pair(f"Nº {number}", f"{writer.day(issued)} {clock}")
    else:
        paper.pair(writer.day(issued), clock)
        paper.left(f"{label} {number}")
    paper.gap()
    return number, issued


def settle(paper: Paper, writer: Writer, total: Decimal) -> str:
    """Write how the customer paid; return the method."""
    dice = writer.dice
    if dice.random() < 0.5:
        notes = [note for note in (5, 10, 20, 50, 100, 200, 500) if note >= total]
        handed = Decimal(dice.choice(notes[:2])) if notes else total
        paper.pair(writer.say(dice.choice(["Entregado", "Efectivo", "Importe entregado"])), writer.money(handed))
        paper.pair(writer.say(dice.choice(["Cambio", "Su cambio", "Devolución"])), writer.money(handed - total))
        return "cash"
    label = dice.choice(["Tarjeta", "Pago con tarjeta", "Tarjeta VISA"])
    paper.pair(writer.say(label), writer.money(total))
    paper.left(f"**** **** **** {dice.randint(1000, 9999)}  AUT: {dice.randint(100000, 999999)}")
    return "card"


def total_line(paper: Paper, writer: Writer, total: Decimal) -> None:
    dice = writer.dice
    label = dice.choice(["Total", "TOTAL", "Total a pagar", "TOTAL EUR", "Importe total", "Total (IVA incl.)"])
    paper.pair(label, writer.money(total), bold=True, scale=dice.choice([1.0, 1.2, 1.6]))


def bar(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = heading(paper, writer, BARS, person=dice.random() < 0.6)
    paper.gap()
    number, issued = stamp(paper, writer)
    total = Decimal(0)
    for product, _ in dice.sample(FOOD, dice.randint(1, 4)):
        units, price = dice.randint(1, 3), cents(dice, 1, 6)
        paper.pair(f"{units} {writer.say(product)}", writer.money(units * price, euro=False))
        total += units * price
    paper.rule()
    total_line(paper, writer, total)
    tax = inclusive(Decimal(10), total)
    if detailed := dice.random() < 0.5:
        paper.left(f"{writer.say('Base imponible')}: {writer.money(tax.base)}")
        paper.left(f"IVA {writer.rate(tax.rate)}: {writer.money(tax.amount)}")
    else:
        paper.left(f"{writer.say('IVA incluido')} {writer.rate(tax.rate)}")
    method = settle(paper, writer, total)
    paper.gap()
    paper.centre(writer.say("¡Gracias por su visita!"))
    return Truth(
        kind="receipt",
        vendor=name,
        tax_id=tax_id,
        issue_date=issued,
        total=total,
        taxes=(tax,),
        shows_figures=detailed,
        number=number,
        payment_method=method,
    )


def petrol(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = heading(paper, writer, STATIONS)
    number, issued = stamp(paper, writer)
    price, litres = Decimal(dice.randint(1300, 1750)) / 1000, cents(dice, 8, 62)
    total = (price * litres).quantize(Decimal("0.01"))
    paper.left(
        f"{writer.say('Surtidor')} {dice.randint(1, 9)}  {writer.say(dice.choice(['Gasóleo A', 'Sin plomo 95']))}"
    )
    paper.pair(writer.say("Litros"), writer.money(litres, euro=False))
    paper.pair(writer.say("Precio/litro"), f"{price}".replace(".", writer.decimal_mark))
    paper.pair(writer.say("Importe"), writer.money(total))
    paper.rule()
    total_line(paper, writer, total)
    tax = inclusive(Decimal(21), total)
    paper.pair(writer.say("Base imponible"), writer.money(tax.base))
    paper.pair(f"{writer.say('Cuota')} IVA {writer.rate(tax.rate)}", writer.money(tax.amount))
    method = settle(paper, writer, total)
    paper.left(f"{writer.say('Matrícula')}: {dice.randint(1000, 9999)} KLM")
    return Truth(
        kind="receipt",
        vendor=name,
        tax_id=tax_id,
        issue_date=issued,
        total=total,
        taxes=(tax,),
        number=number,
        payment_method=method,
    )


def supermarket(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = heading(paper, writer, SHOPS)
    number, issued = stamp(paper, writer)
    gross: dict[Decimal, Decimal] = {}
    goods = dice.sample(GROCERIES, dice.randint(4, 9))
    paper.row(Cell(writer.say("Descripción")), Cell(writer.say("Importe"), 1.0, "r"))
    for product, rate in goods:
        units, price = dice.choice([1, 1, 1, 2, 3]), cents(dice, 0.6, 14)
        paper.pair(writer.say(product), writer.money(units * price, euro=False))
        if units > 1:
            paper.left(f"   {units} x {writer.money(price, euro=False)}")
        gross[Decimal(rate)] = gross.get(Decimal(rate), Decimal(0)) + units * price
    total = sum(gross.values(), Decimal(0))
    paper.rule()
    total_line(paper, writer, total)
    method = settle(paper, writer, total)
    paper.rule()
    taxes = tuple(inclusive(rate, amount) for rate, amount in sorted(gross.items()))
    paper.row(Cell("IVA"), Cell(writer.say("Base"), 0.6, "r"), Cell(writer.say("Cuota"), 1.0, "r"))
    for tax in taxes:
        amounts = writer.money(tax.base, euro=False), writer.money(tax.amount, euro=False)
        paper.row(Cell(writer.rate(tax.rate)), Cell(amounts[0], 0.6, "r"), Cell(amounts[1], 1.0, "r"))
    if dice.random() < 0.5:
        base, amount = (sum((getattr(tax, part) for tax in taxes), Decimal(0)) for part in ("base", "amount"))
        paper.row(
            Cell("TOTAL"),
            Cell(writer.money(base, euro=False), 0.6, "r"),
            Cell(writer.money(amount, euro=False), 1.0, "r"),
        )
    paper.centre(f"{writer.say('Artículos')}: {len(goods)}")
    return Truth(
        kind="receipt",
        vendor=name,
        tax_id=tax_id,
        issue_date=issued,
        total=total,
        taxes=taxes,
        number=number,
        payment_method=method,
    )


def restaurant(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = heading(paper, writer, RESTAURANTS, person=dice.random() < 0.2)
    number, issued = stamp(paper, writer)
    paper.left(f"{writer.say('Mesa')} {dice.randint(1, 40)}   {writer.say('Comensales')} {dice.randint(1, 6)}")
    paper.row(Cell(writer.say("Ud")), Cell(writer.say("Concepto"), 0.12), Cell(writer.say("Importe"), 1.0, "r"))
    gross = Decimal(0)
    for dish in dice.sample(DISHES, dice.randint(2, 6)):
        units, price = dice.randint(1, 4), cents(dice, 2, 26)
        paper.row(
            Cell(str(units)), Cell(writer.say(dish), 0.12), Cell(writer.money(units * price, euro=False), 1.0, "r")
        )
        gross += units * price
    tax = inclusive(Decimal(10), gross)
    paper.rule()
    paper.pair(writer.say(dice.choice(["Subtotal", "Base imponible"])), writer.money(tax.base))
    paper.pair(f"IVA ({writer.rate(tax.rate)})", writer.money(tax.amount))
    total_line(paper, writer, gross)
    if dice.random() < 0.25:
        paper.pair(writer.say("Propina sugerida 10%"), writer.money((gross / 10).quantize(Decimal("0.01"))))
    method = settle(paper, writer, gross)
    paper.centre(writer.say("Gracias por su visita"))
    return Truth(
        kind="receipt",
        vendor=name,
        tax_id=tax_id,
        issue_date=issued,
        total=gross,
        taxes=(tax,),
        number=number,
        payment_method=method,
    )
