import { beforeEach } from "vitest";
import { chooseLanguage } from "./language";

/** Tests begin in Spanish, whatever the one before has chosen and whatever Node.js takes the machine's language to be. */
beforeEach(() => chooseLanguage("es"));
