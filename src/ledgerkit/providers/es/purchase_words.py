"""Spanish words and vendors by category of expense, and charges on invoices that are no goods.

Names are those under which the companies sold to the public in the month of `as_of`; Cepsa became Moeve in October
2024, and receipts of both are around.
"""

from ledgerkit.providers.api import PurchaseWords


def _words(listed: str) -> tuple[str, ...]:
    """Return words that are separated by commas."""
    return tuple(listed.split(", "))


PURCHASE_WORDS = PurchaseWords(
    as_of="2026-11",
    categories={
        "office": _words(
            "papeleria, oficina, papel, folio, toner, cartucho, tinta, impresora, carpeta, boligrafo, cuaderno, "
            "archivador, grapadora, sobre, escritorio, silla, mesa, lampara, raton, teclado, monitor, ikea, staples, "
            "mensajeria, sello, correos, seur, mrw"
        ),
        "software": _words(
            "software, licencia, suscripcion, programa, aplicacion, hosting, dominio, servidor, nube, antivirus, web, "
            "holded, sage, contaplus, dinahosting, arsys, ionos, cloud"
        ),
        "travel": _words(
            "viaje, hotel, hostal, vuelo, billete, tren, ave, avion, taxi, metro, autobus, alojamiento, cabify, bolt, "
            "renfe, iryo, ouigo, alsa, iberia, vueling, ryanair, emt, paradores, aeropuerto, aena, ferry, balearia, "
            "dieta, noche"
        ),
        "meals": _words(
            "comida, cena, desayuno, menu, restaurante, bar, cafe, cafeteria, meson, taberna, bocadillo, racion, "
            "tapa, cerveceria, asador, pizzeria, catering, almuerzo, marisqueria, glovo, telepizza, burger, mcdonald, "
            "rodilla, chigre, sidreria, panaderia"
        ),
        "vehicle": _words(
            "taller, neumatico, aceite, revision, itv, vehiculo, coche, furgoneta, moto, recambio, parking, "
            "aparcamiento, peaje, autopista, lavado, grua, norauto, midas, feuvert, euromaster, renting, frenos, "
            "bateria, mecanico, zona azul, telpark, saba, matricula"
        ),
        "fuel": _words(
            "gasolina, gasoleo, diesel, combustible, carburante, gasolinera, repostaje, litro, repsol, cepsa, moeve, "
            "galp, shell, petroprix, ballenoil, plenoil, adblue, recarga"
        ),
        "rent": _words(
            "alquiler, arrendamiento, local, coworking, renta, nave, trastero, fianza, wework, regus, arrendador, "
            "inmobiliaria"
        ),
        "utilities": _words(
            "luz, electricidad, agua, gas, energia, suministro, potencia, kwh, calefaccion, basura, iberdrola, "
            "endesa, naturgy, totalenergies, holaluz, aqualia, canal isabel, butano, edp"
        ),
        "telecom": _words(
            "telefono, movil, internet, fibra, linea, datos, adsl, telefonia, tarifa, movistar, telefonica, vodafone, "
            "orange, masorange, yoigo, pepephone, digi, jazztel, lowi"
        ),
        "professional": _words(
            "asesoria, gestoria, abogado, notario, notaria, procurador, asesor, consultoria, honorarios, auditoria, "
            "registro mercantil, traduccion, arquitecto, fiscal, laboral, contable"
        ),
        "marketing": _words(
            "publicidad, anuncio, campaña, imprenta, folleto, tarjeta visita, cartel, rotulo, marketing, patrocinio, "
            "feria, stand, diseño, meta ads, google ads, facebook, instagram, linkedin, mailchimp, fotografo, video, "
            "vinilo"
        ),
        "insurance": _words(
            "seguro, poliza, prima, responsabilidad civil, mapfre, axa, allianz, generali, reale, mutua, adeslas, "
            "sanitas, asisa, dkv, ocaso, santalucia, zurich, caser, catalana occidente"
        ),
        "training": _words(
            "curso, formacion, libro, seminario, taller formativo, master, libreria, congreso, udemy, academia, "
            "matricula curso, manual, certificacion, coursera, domestika, jornada"
        ),
        "bank": _words(
            "comision, banco, transferencia, mantenimiento cuenta, tpv, intereses, prestamo, aval, bbva, santander, "
            "caixabank, sabadell, bankinter, unicaja, stripe, paypal, redsys, leasing"
        ),
        "taxes": _words(
            "impuesto, tasa, ibi, iae, tributo, ayuntamiento, agencia tributaria, aeat, recargo, modelo, hacienda, "
            "arbitrio, contribucion"
        ),
        "social_security": _words("cotizacion, autonomo, reta, seguridad social, tgss"),
        "goods": _words(
            "mercancia, genero, mercaderia, materia prima, pedido, mayorista, palet, almacen, material, makro, "
            "mercamadrid, mercabarna, distribuciones, suministros, existencias, proveedor"
        ),
    },
    not_goods=_words(
        "portes, porte, gastos de envio, envio, transporte, embalaje, manipulacion, flete, mano de obra, "
        "desplazamiento, descuento, dto, abono, redondeo, fianza, deposito envase, punto verde, ecotasa, "
        "recargo de equivalencia, gastos financieros, seguro de transporte"
    ),
)
