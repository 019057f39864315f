import type { Texts } from "../../texts/define";
import type { es } from "./es";

export const en: Texts<typeof es> = {
  title: "Hello, {name}",
  steps: "Steps",
  stepAccount: "Account",
  stepCompany: "Your company",
  stepInvoices: "Your invoices",
  stepStart: "Begin",
  skip: "Not now",
  goOn: "Save and go on",
  later: "Go on later",
  companyLead: "What the law demands on each invoice. It can be changed later in the settings.",
  invoicesLead: "How they are numbered, where you are paid, and your logo.",
  firstInvoice: "Make my first invoice",
  firstInvoiceText: "It begins as a draft: it has no number and no effect until you issue it.",
  demo: "Look around with examples",
  demoText:
    "Invented clients, drafts, expenses and tasks. Nothing is issued, and you remove them whenever you like.",
  demoTextIssued:
    "Invented clients, invoices, expenses and tasks, to see Home with figures. Three invoices are issued in the simulation; taking them out annuls them, because a number is not deleted.",
  demoFill: "Put in examples",
  demoInBooks: "Example data",
  demoRemove: "Remove the examples",
  demoProgress: "Progress of the examples",
  demoFilled: "Done: look at invoices, expenses and tasks.",
  demoRemoved: "Removed.",
  demoRemovedIssued: "Taken out. The issued invoices are annulled.",
  further: "Later on",
  certificate: "Upload the certificate and test the connection",
  assistant: "Connect an assistant",
  invite: "Invite somebody",
  home: "Go home",
};
