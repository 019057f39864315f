import type { Schemas } from "../api/client";
import { count, money, text, type Report, type SayReports } from "./report";

/** Sales of the registers that were closed in a period, by the way they were paid. */
export function tillReport(answer: Schemas["RegisterSummary"], say: SayReports): Report {
  return {
    from: answer.from,
    to: answer.to,
    currency: answer.currency,
    hint: say("tillHint"),
    facts: [
      [say("tillSales"), money(answer.totalSales)],
      [say("salesCount"), count(answer.salesCount)],
      [say("closings"), count(answer.registerCount, "/till/history")],
      [say("tillDifference"), money(answer.totalDifference)],
      [say("averageDifference"), money(answer.avgDifference)],
    ],
    tables: [
      {
        title: say("byMethod"),
        columns: [say("method"), say("amount")],
        rows: [
          [text(say("cash")), money(answer.totalCash)],
          [text(say("card")), money(answer.totalCard)],
          [text(say("transfer")), money(answer.totalTransfer)],
        ],
      },
    ],
  };
}
