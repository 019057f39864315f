"""The editor of invoices as a screen reader meets it: names, roles, values and order."""

from playwright.async_api import expect

TREE = """
- heading "Nueva factura" [level=1]
- button "Empezar de nuevo"
- button "Guardar borrador"
- button "Emitir…"
- heading "Cliente" [level=2]
- combobox "Nombre o razón social (obligatorio)": Talleres Norte
- paragraph: B12345674
- button "Otro cliente"
- heading "Fechas" [level=2]
- combobox "Tipo":
  - option "Factura" [selected]
  - option "Factura simplificada"
- textbox "Fecha"
- paragraph: "Si la dejas vacía, el día que la emitas."
- textbox "Fecha de operación"
- paragraph: Solo si no es la de la factura.
- textbox "Vencimiento"
- paragraph: "Si lo dejas vacío, según el plazo del cliente o del equipo."
- group "Vencimiento rápido":
  - button "Al recibirla"
  - button "15 días"
  - button "30 días"
  - button "60 días"
- heading "Conceptos" [level=2]
- list "Conceptos":
  - listitem:
    - combobox "Concepto": Identidad visual
    - textbox "Cantidad": "1"
    - textbox "Precio": "100"
    - textbox "Dto. %"
    - combobox "IVA":
      - option "21 % general" [selected]
      - option "10 % reducido"
    - paragraph: Importe 100,00 €
    - button "Subir la línea 1" [disabled]
    - button "Bajar la línea 1" [disabled]
    - button "Quitar la línea 1"
- button "Añadir línea"
- paragraph: Intro añade una línea; Alt y flechas la mueven.
- heading "Impuestos" [level=2]
- textbox "Retención de IRPF"
- combobox "Recargo de equivalencia":
  - option "Según el cliente" [selected]
- checkbox "Los precios llevan el IVA incluido"
- heading "Referencias del cliente" [level=2]
- textbox "Pedido"
- textbox "Referencia del cliente"
- textbox "Lugar de la operación"
- heading "Notas y condiciones" [level=2]
- textbox "Notas"
- textbox "Condiciones"
- heading "Totales" [level=2]
- status "Totales":
  - term: Base imponible
  - definition: 100,00 €
  - term: IVA 21 % sobre 100,00 €
  - definition: 21,00 €
  - term: Total
  - definition: 121,00 €
"""
"""Places of the editor in their order; between them may stand texts that repeat the names of fields."""


async def test_a_screen_reader_meets_the_editor_in_order_and_by_name(ana, visit):
    await ana.post("/api/clients", {"name": "Talleres Norte", "taxId": "B12345674"})
    page = await visit(ana, "/invoices/new")
    await page.get_by_label("Nombre o razón social").fill("Talleres")
    await page.get_by_role("option", name="Talleres Norte").click()
    line = page.get_by_role("list", name="Conceptos").get_by_role("listitem").first
    await line.get_by_label("Concepto").fill("Identidad visual")
    await line.get_by_label("Precio").fill("100")
    await expect(page.get_by_role("status", name="Totales")).to_contain_text("121,00")

    await expect(page.get_by_role("main")).to_match_aria_snapshot(TREE)
