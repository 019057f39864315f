export const es = {
  title: "Adjuntos",
  add: "Adjuntar un archivo",
  none: "Sin adjuntos",
  open: "Abrir {name}",
  remove: "Quitar {name}",
  removed: "{name}: quitado",
  added: "{name}: adjuntado",
};
