let isPressed = false;

addEventListener("pointerdown", () => (isPressed = true), true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (isPressed = false), true);

/**
 * Do something now, or after the click that is on its way: what moves while a button is held down is not clicked.
 */
export function afterPress(step: () => void): void {
  if (!isPressed) step();
  else addEventListener("pointerup", () => setTimeout(step), { once: true });
}
