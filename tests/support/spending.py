"""A generated year of a business's expenses, each with the category that its owner chose, now and then wrongly."""

import random
from dataclasses import dataclass
from datetime import date, timedelta

from ledgerkit.core.purchases.expenses.api import CATEGORIES


@dataclass(frozen=True)
class Spent:
    day: date
    description: str
    vendor: str
    category: str


@dataclass(frozen=True)
class Habit:
    """A vendor, or several of one kind, with descriptions by category, and how often it is bought from in a year."""

    vendors: tuple[str, ...]
    descriptions: dict[str, tuple[str, ...]]
    times: int


def _one(vendor: str, category: str, times: int, *descriptions: str) -> Habit:
    return Habit((vendor,), {category: descriptions}, times)


HABITS = (
    _one("Papelería Sol, S.L.", "office", 9, "Material", "Folios A4 y sobres", "Tóner", "Carpetas y bolígrafos"),
    _one("Kaizen Servicios Digitales", "software", 12, "Suscripción mensual", "Plan Pro, mes en curso"),
    _one("Plumbago BV", "software", 12, "Servidor y copias", "Factura periodo"),
    _one("Inmuebles Ronda 14", "rent", 12, "Alquiler del local", "Renta mensual"),
    _one("Energías del Ebro", "utilities", 6, "Factura de luz", "Consumo y potencia", "Regularización"),
    _one("Aguas de Levante", "utilities", 4, "Bimestre", "Consumo de agua"),
    _one("Fibratel Noroeste", "telecom", 12, "Fibra y móvil", "Cuota mensual", "Líneas de la oficina"),
    _one("Gestoría Pardo", "professional", 12, "Iguala mensual", "Impuestos del trimestre", "Nóminas"),
    _one("Seguros Atalaya", "insurance", 2, "Póliza RC", "Seguro del local"),
    _one("Banco del Norte", "bank", 12, "Comisión de mantenimiento", "Liquidación TPV", "Comisiones"),
    _one("TGSS", "social_security", 12, "Cuota de autónomo", "Cotización del mes"),
    _one("Mayoristas Segura", "goods", 26, "Pedido semanal", "Género", "Reposición", "Pedido 2 palés"),
    _one("Distribuciones Hnos. Rey", "goods", 18, "Albaranes del mes", "Mercancía", "Pedido"),
    _one("Rótulos Vega", "marketing", 3, "Vinilos escaparate", "Cartel feria"),
    _one("Imprenta Gómez", "marketing", 5, "Folletos", "Tarjetas de visita"),
    _one("Academia Norte", "training", 2, "Curso de idiomas", "Curso prevención"),
    _one("Talleres Lagos", "vehicle", 4, "Revisión y aceite", "Neumáticos", "ITV y revisión"),
    Habit(
        ("Repsol", "E.S. La Vega", "Estación Cruce", "Ballenoil", "Moeve"), {"fuel": ("Gasóleo", "Repostaje", "")}, 40
    ),
    Habit(
        tuple(f"{kind} {name}" for kind in ("Bar", "Mesón", "Rte.", "Casa") for name in ("Lola", "Paco", "Ría", "Sur")),
        {"meals": ("Menú del día", "Comida con cliente", "2 menús", "Café", "Consumiciones")},
        45,
    ),
    Habit(tuple(f"Taxi lic. {n}" for n in range(500, 540)), {"travel": ("Carrera", "Taxi aeropuerto", "Trayecto")}, 20),
    Habit(("Renfe", "Iryo", "Vueling"), {"travel": ("Madrid-Sevilla", "Billete ida y vuelta", "Vuelo feria")}, 12),
    Habit(("Hotel Puerta", "Hostal Mar", "NH Centro"), {"travel": ("1 noche", "Alojamiento", "Estancia feria")}, 10),
    Habit(("Parking Plaza", "Aparcamientos Sur", "AP-7"), {"vehicle": ("Parking", "Estancia 2 h", "Peaje")}, 24),
    Habit(
        ("Amazon EU", "El Corte Inglés", "Mercado Central"),
        {
            "office": ("Ratón y teclado", "Papel y tinta", "Silla", "Lámpara de mesa"),
            "training": ("Libro de ventas", "Manual"),
            "goods": ("Cajas y precinto", "Material para tienda"),
            "meals": ("Agua y café", "Desayuno equipo"),
        },
        40,
    ),
    Habit(("Correos", "Mensajeros Rayo"), {"office": ("Envío certificado", "Paquete 2 kg", "Sellos")}, 16),
    Habit(("Varios",), {"other": ("Compra", "Varios", "Regalo cliente", "Lotería")}, 10),
)


def year(seed: int, *, mistakes: float = 0.04) -> list[Spent]:
    """Return a year of expenses in the order of their days; `mistakes` is the share with a category chosen wrongly."""
    chance = random.Random(seed)
    first = date(2025, 1, 1)
    spent = []
    for habit in HABITS:
        for _ in range(habit.times):
            category = chance.choice(sorted(habit.descriptions))
            shown = chance.choice(CATEGORIES) if chance.random() < mistakes else category
            description = chance.choice(habit.descriptions[category])
            day = first + timedelta(days=chance.randrange(365))
            spent.append(Spent(day, description, chance.choice(habit.vendors), shown))
    return sorted(spent, key=lambda one: (one.day, one.vendor, one.description))
