import type { Texts } from "../../texts/define";
import type { es } from "./es";

export const en: Texts<typeof es> = {
  login: "Log in",
  loginTitle: "Log in to ledgerkit",
  registerTitle: "Create your account",
  register: "Create the account",
  email: "E-mail",
  password: "Password",
  passwordHint: "At least 8 characters. A sentence that you remember is best.",
  name: "Your name",
  nameHint: "The people of your team see you by it.",
  forgotten: "I forgot my password",
  noAccount: "No account yet?",
  hasAccount: "Already registered?",
  what: "Invoices with VERI*FACTU, expenses, taxes and a till. On your server, with your data.",
};
