import { createContext } from "react";

/** The open dialog around a part: what opens above the part must be drawn inside it, or the dialog covers it. */
export const DialogElement = createContext<HTMLElement | null>(null);
