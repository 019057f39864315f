export const es = {
  drop: "Arrastra aquí el CSV o el JSON",
  row: "Fila",
  field: "Dato",
  message: "Qué pasa",
  errors: "Errores por fila",
  ready: {
    one: "{count} documento listo para importar, {total}",
    other: "{count} documentos listos para importar, {total}",
  },
  wrong: { one: "{count} error", other: "{count} errores" },
  wrongText: "No se importa nada hasta que el archivo esté bien. Corrígelo y vuelve a elegirlo.",
  now: { one: "Importar {count} documento", other: "Importar {count} documentos" },
  imported: { one: "{count} documento importado", other: "{count} documentos importados" },
  cancel: "Cancelar",
};
