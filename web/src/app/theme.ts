import { remembered } from "../texts/remembered";

export type Theme = "light" | "dark" | "system";

export function theme(): Theme {
  const chosen = remembered.read("theme");
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

export function chooseTheme(chosen: Theme): void {
  remembered.write("theme", chosen === "system" ? null : chosen);
  applyTheme();
}

/** Put the chosen theme on the page; without a choice the device decides. */
export function applyTheme(): void {
  const chosen = theme();
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
