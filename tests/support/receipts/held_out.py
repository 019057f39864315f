"""Layouts that no rule was tuned on: the evaluation reports on these."""

from datetime import timedelta
from decimal import Decimal

from support.receipts.invoices import COMPANIES, parties
from support.receipts.paper import Cell, Paper
from support.receipts.tickets import heading, settle
from support.receipts.truth import Truth, Writer, cents, company_tax_id, day, exclusive, inclusive

PHARMACIES = ("Farmacia Lda. Elena Soler", "Farmacia Puerta del Sol C.B.", "Farmacia San Juan")
DRIVERS = ("Radio Taxi Cantabria S.L.", "Taxi Licencia 1482", "Autotaxi Hermanos Mora")
GARAGES = ("Aparcamientos Centro S.A.", "Parking Plaza Mayor S.L.")
HARDWARE = ("Ferretería Nueva Era S.L.", "Bricolaje Montaña S.L.", "Pinturas Arcoíris S.L.")
HOTELS = ("Hotel Mirador del Mar S.A.", "Hostal Los Arcos S.L.", "Apartamentos Brisa S.L.U.")
REMEDIES = (
    ("Ibuprofeno 600", 4),
    ("Paracetamol 1g", 4),
    ("Crema solar 50+", 21),
    ("Tiritas surtidas", 10),
    ("Gel baño", 21),
)
TOOLS = ("Taladro 650W", "Broca 8mm", "Tornillo 4x40", "Cinta métrica", "Silicona", "Brocha 5cm")


def pharmacy(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = heading(paper, writer, PHARMACIES, person=True)
    issued, number = day(dice), f"{dice.randint(1, 99)}/{dice.randint(10000, 99999)}"
    paper.pair(f"Fra. simpl. {number}", writer.day(issued))
    gross: dict[Decimal, Decimal] = {}
    for product, rate in dice.sample(REMEDIES, dice.randint(1, 4)):
        amount = cents(dice, 1.5, 25)
        paper.row(
            Cell("1"), Cell(product, 0.08), Cell(f"{rate}", 0.68, "r"), Cell(writer.money(amount, euro=False), 1.0, "r")
        )
        gross[Decimal(rate)] = gross.get(Decimal(rate), Decimal(0)) + amount
    total = sum(gross.values(), Decimal(0))
    paper.gap()
    paper.pair("TOTAL A PAGAR", writer.money(total), bold=True, scale=1.3)
    taxes = tuple(inclusive(rate, amount) for rate, amount in sorted(gross.items()))
    paper.row(Cell("%IVA"), Cell("B.Imp.", 0.45, "r"), Cell("Cuota", 0.72, "r"), Cell("Total", 1.0, "r"))
    for tax in taxes:
        amounts = (tax.base, 0.45), (tax.amount, 0.72), (tax.base + tax.amount, 1.0)
        paper.row(Cell(f"{tax.rate}"), *(Cell(writer.money(amount, euro=False), x, "r") for amount, x in amounts))
    method = settle(paper, writer, total)
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


def taxi(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = heading(paper, writer, DRIVERS, person=dice.random() < 0.5)
    issued = day(dice)
    paper.centre("RECIBO DE TAXI")
    paper.left(f"Fecha {writer.day(issued)}")
    paper.left(
        f"Inicio {dice.randint(7, 12)}:{dice.randint(10, 59)}  Fin {dice.randint(13, 22)}:{dice.randint(10, 59)}"
    )
    ride, extra = cents(dice, 4, 45), dice.choice([Decimal(0), Decimal("3.00"), Decimal("5.50")])
    paper.pair("Distancia", f"{dice.randint(2, 30)},{dice.randint(0, 9)} km")
    paper.pair("Carrera", writer.money(ride))
    paper.pair("Suplementos", writer.money(extra))
    paper.pair("IMPORTE TOTAL", writer.money(ride + extra), bold=True)
    tax = inclusive(Decimal(10), ride + extra)
    paper.left(f"IVA incluido {writer.rate(tax.rate)}")
    return Truth(
        kind="receipt",
        vendor=name,
        tax_id=tax_id,
        issue_date=issued,
        total=ride + extra,
        taxes=(tax,),
        shows_figures=False,
    )


def parking(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = heading(paper, writer, GARAGES)
    issued, number = day(dice), f"P-{dice.randint(100000, 999999)}"
    paper.left(f"FACTURA SIMPLIFICADA {number}")
    paper.left(f"Entrada: {writer.day(issued)} {dice.randint(7, 11):02d}:{dice.randint(0, 59):02d}")
    paper.left(f"Salida:  {writer.day(issued)} {dice.randint(12, 22)}:{dice.randint(10, 59)}")
    total = cents(dice, 1, 38)
    tax = inclusive(Decimal(21), total)
    paper.pair("Neto", writer.money(tax.base))
    paper.pair(f"{writer.rate(tax.rate)} IVA", writer.money(tax.amount))
    paper.pair("TOTAL", writer.money(total), bold=True, scale=1.4)
    method = settle(paper, writer, total)
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


def hardware(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = heading(paper, writer, HARDWARE)
    issued, number = day(dice), f"{dice.randint(1, 9)}-{dice.randint(1000, 99999)}"
    paper.row(Cell(f"Documento: {number}"))
    paper.row(Cell(f"Fecha: {writer.day(issued)}"))
    paper.row(Cell("Art."), Cell("Uds", 0.58, "r"), Cell("PVP", 0.78, "r"), Cell("Imp.", 1.0, "r"))
    total = Decimal(0)
    for tool in dice.sample(TOOLS, dice.randint(2, 5)):
        units, price = dice.randint(1, 12), cents(dice, 0.5, 60)
        figures = (
            (str(units), 0.58),
            (writer.money(price, euro=False), 0.78),
            (writer.money(units * price, euro=False), 1.0),
        )
        paper.row(Cell(tool), *(Cell(text, x, "r") for text, x in figures))
        total += units * price
    tax = inclusive(Decimal(21), total)
    paper.rule()
    paper.pair(f"BASE {writer.rate(tax.rate)}", writer.money(tax.base))
    paper.pair(f"I.V.A. {writer.rate(tax.rate)}", writer.money(tax.amount))
    paper.pair("TOTAL TICKET", writer.money(total), bold=True)
    method = settle(paper, writer, total)
    paper.centre("Cambios con ticket en 15 días")
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


def hotel(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = dice.choice(HOTELS), company_tax_id(dice)
    issued, number = day(dice), f"H{dice.randint(1000, 99999)}"
    parties(paper, writer, (name, tax_id), number, issued)
    nights = dice.randint(1, 6)
    paper.left(
        f"Entrada {writer.day(issued - timedelta(days=nights))}   Salida {writer.day(issued)}   "
        f"Habitación {dice.randint(101, 512)}"
    )
    rooms, meals, garage = nights * cents(dice, 45, 140), cents(dice, 10, 90), cents(dice, 12, 60)
    paper.pair(f"Alojamiento {nights} noches", writer.money(rooms))
    paper.pair("Restaurante", writer.money(meals))
    paper.pair("Garaje", writer.money(garage))
    taxes = exclusive(Decimal(10), rooms + meals), exclusive(Decimal(21), garage)
    total = sum((tax.base + tax.amount for tax in taxes), Decimal(0))
    paper.rule()
    for tax in taxes:
        paper.pair(
            f"Base al {writer.rate(tax.rate)}  {writer.money(tax.base)}   Cuota IVA", writer.money(tax.amount), x=0.2
        )
    paper.pair("TOTAL FACTURA", writer.money(total), bold=True, x=0.4)
    return Truth(kind="invoice", vendor=name, tax_id=tax_id, issue_date=issued, total=total, taxes=taxes, number=number)


def wholesale(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = dice.choice(COMPANIES), company_tax_id(dice)
    issued, number = day(dice), f"{issued_year(dice)}-{dice.randint(1, 99999):05d}"
    parties(paper, writer, (name, tax_id), number, issued)
    bases: dict[Decimal, Decimal] = {}
    heads = (
        ("Ref.", 0.0, "l"),
        ("Artículo", 0.15, "l"),
        ("Uds", 0.6, "r"),
        ("Precio", 0.78, "r"),
        ("Importe", 1.0, "r"),
    )
    paper.row(*(Cell(text, x, anchor, bold=True) for text, x, anchor in heads))
    for tool in dice.sample(TOOLS, dice.randint(2, 5)):
        units, price, rate = dice.randint(2, 60), cents(dice, 1, 40), Decimal(dice.choice([21, 21, 10]))
        figures = (
            (str(units), 0.6),
            (writer.money(price, euro=False), 0.78),
            (writer.money(units * price, euro=False), 1.0),
        )
        paper.row(Cell(f"{dice.randint(1000, 9999)}"), Cell(tool, 0.15), *(Cell(text, x, "r") for text, x in figures))
        bases[rate] = bases.get(rate, Decimal(0)) + units * price
    taxes = tuple(exclusive(rate, base) for rate, base in sorted(bases.items()))
    paper.rule()
    paper.row(
        Cell("Base imponible", 0.3, "r", bold=True),
        Cell("% IVA", 0.5, "r", bold=True),
        Cell("Cuota IVA", 0.75, "r", bold=True),
    )
    for tax in taxes:
        figures = (writer.money(tax.base), 0.3), (writer.rate(tax.rate), 0.5), (writer.money(tax.amount), 0.75)
        paper.row(*(Cell(text, x, "r") for text, x in figures))
    total = sum((tax.base + tax.amount for tax in taxes), Decimal(0))
    paper.pair("TOTAL FACTURA", writer.money(total), bold=True, x=0.5)
    paper.left(f"Fecha de vencimiento: {writer.day(issued + timedelta(days=60))}")
    return Truth(kind="invoice", vendor=name, tax_id=tax_id, issue_date=issued, total=total, taxes=taxes, number=number)


def issued_year(dice) -> int:
    return dice.choice([24, 25, 26])
