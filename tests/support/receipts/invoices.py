"""Layouts of full invoices that the rules were tuned on."""

from datetime import date, timedelta
from decimal import Decimal

from ledgerkit.money import percent_of
from support.receipts.paper import Cell, Paper
from support.receipts.tickets import STREETS, TOWNS
from support.receipts.truth import (
    Truth,
    Writer,
    cents,
    company_tax_id,
    day,
    exclusive,
    iban,
    personal_tax_id,
    shown_tax_id,
)

ENERGY = ("Energía del Duero S.A.", "Aguas de Levante S.A.", "Gas Natural Meseta S.A.U.", "Iberluz Comercial S.L.U.")
PEOPLE = ("Marta Gil Ortega", "Javier Peña Soto", "Lucía Marín Vega", "Óscar Núñez Rey")
COMPANIES = ("Suministros Industriales Ebro S.L.", "Papelería Técnica Sol S.L.", "Informática Delta S.L.U.")
CLIENTS = ("Estudio Rivas S.L.", "Ana Torres Blanco", "Talleres Gamma S.L.")
SERVICES = ("Consultoría técnica", "Diseño de página web", "Asesoría fiscal", "Traducción jurada", "Mantenimiento")
GOODS = ("Caja folios A4", "Tóner negro", "Silla oficina", "Cable red 5m", "Ratón inalámbrico", "Archivador")


def parties(paper: Paper, writer: Writer, issuer: tuple[str, str], number: str, issued: date) -> None:
    """Write both parties (name and tax identifier), number and date, the issuer first."""
    name, tax_id = issuer
    dice = writer.dice
    label = dice.choice(["NIF: ", "CIF: ", "N.I.F.: ", "NIF/CIF: "])
    title = dice.choice(["FACTURA", "Factura"])
    number_label = dice.choice(["Factura nº:", "Nº factura:", "Número de factura:"])
    dated = f"{dice.choice(['Fecha:', 'Fecha de factura:', 'Fecha de emisión:'])} {writer.day(issued)}"
    client_id = company_tax_id(dice)
    client = dice.choice(CLIENTS)
    paper.row(Cell(name, 0.0, "l", bold=True, scale=1.3), Cell(title, 1.0, "r", bold=True, scale=1.5))
    paper.row(Cell(f"{dice.choice(STREETS)}, {dice.randint(1, 99)}"), Cell(f"{number_label} {number}", 1.0, "r"))
    paper.row(Cell(dice.choice(TOWNS)), Cell(dated, 1.0, "r"))
    paper.left(label + shown_tax_id(dice, tax_id))
    paper.gap()
    head = dice.choice(["Cliente:", "Facturar a:", "Datos del cliente"])
    x = dice.choice([0.0, 0.55])
    for text in (head, client, f"{label}{client_id}", f"{dice.choice(STREETS)}, {dice.randint(1, 99)}"):
        paper.row(Cell(text, x))
    paper.gap()


def professional(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = dice.choice(PEOPLE), personal_tax_id(dice)
    issued = day(dice)
    number = f"{issued.year}/{dice.randint(1, 400):03d}"
    parties(paper, writer, (name, tax_id), number, issued)
    paper.row(Cell("Concepto", bold=True), Cell("Importe", 1.0, "r", bold=True))
    base = Decimal(0)
    for service in dice.sample(SERVICES, dice.randint(1, 3)):
        amount = Decimal(dice.randint(80, 2400)) + dice.choice([Decimal(0), Decimal("0.50"), Decimal("0.75")])
        paper.pair(service, writer.money(amount))
        base += amount
    tax = exclusive(Decimal(21), base)
    rate = dice.choice([Decimal(15), Decimal(15), Decimal(7)])
    retention = percent_of(base, rate)
    total = base + tax.amount - retention
    paper.rule()
    paper.pair("Base imponible", writer.money(base), x=0.5)
    paper.pair(f"IVA {writer.rate(tax.rate)}", writer.money(tax.amount), x=0.5)
    paper.pair(
        dice.choice([f"IRPF -{writer.rate(rate)}", f"Retención IRPF {writer.rate(rate)}"]),
        writer.money(-retention),
        x=0.5,
    )
    paper.pair(
        dice.choice(["TOTAL", "Total factura", "Total a pagar", "Líquido a percibir"]),
        writer.money(total),
        bold=True,
        x=0.5,
    )
    paper.gap()
    account = iban(dice)
    grouped = " ".join(account[place : place + 4] for place in range(0, 24, 4))
    paper.left(f"Forma de pago: transferencia bancaria  IBAN: {grouped}")
    return Truth(
        kind="invoice",
        vendor=name,
        tax_id=tax_id,
        issue_date=issued,
        total=total,
        taxes=(tax,),
        retention=retention,
        number=number,
        iban=account,
        payment_method="transfer",
    )


def utility(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = dice.choice(ENERGY), company_tax_id(dice)
    issued = day(dice)
    number = f"{dice.choice('PYF')}{dice.randint(10**8, 10**9 - 1)}"
    parties(paper, writer, (name, tax_id), number, issued)
    since, until = issued - timedelta(days=40), issued - timedelta(days=9)
    paper.left(f"Periodo de facturación: {writer.day(since)} - {writer.day(until)}")
    paper.left(f"CUPS: ES00{dice.randint(10**15, 10**16 - 1)}XY")
    power, energy, rent = cents(dice, 8, 40), cents(dice, 15, 180), cents(dice, 0.6, 2)
    paper.pair("Potencia facturada", writer.money(power))
    paper.pair(f"Energía consumida  {dice.randint(90, 700)} kWh", writer.money(energy))
    paper.pair("Alquiler de equipos", writer.money(rent))
    base = power + energy + rent
    tax = exclusive(Decimal(21), base)
    paper.rule()
    paper.pair("Base imponible", writer.money(base), x=0.4)
    paper.pair(f"IVA {writer.rate(tax.rate)} s/ {writer.money(base)}", writer.money(tax.amount), x=0.4)
    paper.pair(
        dice.choice(["TOTAL IMPORTE FACTURA", "Total factura", "Importe total"]),
        writer.money(base + tax.amount),
        bold=True,
        x=0.4,
    )
    paper.gap()
    account = iban(dice)
    paper.left(f"Domiciliación bancaria. IBAN: {account[:20]}****")
    paper.left(f"Fecha de cargo: {writer.day(issued + timedelta(days=7))}")
    return Truth(
        kind="invoice",
        vendor=name,
        tax_id=tax_id,
        issue_date=issued,
        total=base + tax.amount,
        taxes=(tax,),
        number=number,
        payment_method="direct_debit",
    )


def goods(paper: Paper, writer: Writer) -> Truth:
    dice = writer.dice
    name, tax_id = dice.choice(COMPANIES), company_tax_id(dice)
    issued = day(dice)
    number = f"F{issued:%y}-{dice.randint(1, 9999):04d}"
    parties(paper, writer, (name, tax_id), number, issued)
    heads = (("Descripción", 0.0, "l"), ("Cant.", 0.62, "r"), ("Precio", 0.8, "r"), ("Total", 1.0, "r"))
    paper.row(*(Cell(text, x, anchor, bold=True) for text, x, anchor in heads))
    base = Decimal(0)
    for product in dice.sample(GOODS, dice.randint(2, 5)):
        units, price = dice.randint(1, 20), cents(dice, 2, 160)
        figures = (
            (str(units), 0.62),
            (writer.money(price, euro=False), 0.8),
            (writer.money(units * price, euro=False), 1.0),
        )
        paper.row(Cell(product), *(Cell(text, x, "r") for text, x in figures))
        base += units * price
    tax = exclusive(Decimal(21), base)
    paper.rule()
    paper.pair(dice.choice(["Subtotal", "Base imponible"]), writer.money(base), x=0.55)
    paper.pair(f"IVA ({writer.rate(tax.rate)})", writer.money(tax.amount), x=0.55)
    paper.pair(dice.choice(["TOTAL", "Total factura"]), writer.money(base + tax.amount), bold=True, x=0.55)
    paper.gap()
    paper.left(f"Vencimiento: {writer.day(issued + timedelta(days=30))}")
    return Truth(
        kind="invoice",
        vendor=name,
        tax_id=tax_id,
        issue_date=issued,
        total=base + tax.amount,
        taxes=(tax,),
        number=number,
    )
