export const es = {
  merge: "Fusionar",
  title: "Fusionar un duplicado con {name}",
  duplicate: "El duplicado, que desaparece",
  chooseOne: "Elige de la lista el que está repetido.",
  whatGoes:
    "«{duplicate}» desaparece. Lo que tenía pasa a «{name}», que conserva sus datos y toma del otro los que le faltan.",
  whatStays: "Lo ya emitido o anotado no cambia: conserva el nombre y el NIF con que se hizo.",
  forever: "No se puede deshacer.",
};
