import { describe, expect, it } from "vitest";
import { forPeople, type Place } from "./remedies";

const NAMES: Partial<Record<Place, string>> = {
  creditNote: "Rectificar",
  company: "Ajustes: Empresa",
  records: "VERI*FACTU",
  invoices: "Facturas",
  team: "Equipo",
};
const shown = (remedy: string) => forPeople(remedy, (place) => NAMES[place] ?? place);

describe("remedies", () => {
  it.each([
    ["Corrígela con POST /api/einvoice/credit-note.", "Corrígela en «Rectificar»."],
    [
      "Actívala con PUT /api/teams/current {einvoicing: on} y vuelve a emitir.",
      "Actívala en «Ajustes: Empresa» y vuelve a emitir.",
    ],
    ["Espera (GET /api/einvoice/status/{id}) y anúlala.", "Espera («VERI*FACTU») y anúlala."],
    ["Cámbialo con PUT /api/invoices/{id}.", "Cámbialo en «Facturas»."],
    ["Búscalo con GET /api/vendors?search=... y usa ese.", "Búscalo en «vendors» y usa ese."],
    ["Change it with PATCH /api/teams/current/members/{memberId}/role.", "Change it in «Equipo»."],
    ["Mira cómo está, con GET /api/activity/history.", "Mira cómo está, en «activity»."],
    ["Quítalo con DELETE /api/attachments/{id}.", "Quítalo en «attachments»."],
    ["GET /openapi.json lists all.", "GET /openapi.json lists all."],
    ["Look at GET /api/einvoice/chain?verify=true.", "Look at «VERI*FACTU»."],
    ["Pides otro con `POST /auth/verify/resend`.", "Pides otro en «account»."],
    ["Escribe otro número.", "Escribe otro número."],
  ])("%s", (remedy, expected) => {
    expect(shown(remedy)).toBe(expected);
  });
});
