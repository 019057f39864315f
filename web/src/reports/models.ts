import type { Schemas } from "../api/client";
import { monthName } from "../texts/days";
import { percent as rateText } from "../texts/formats";
import { monthSpan } from "./periods";
import { address, count, money, percent, text, type Report, type SayReports, type Value } from "./report";

const expenses = (query: Record<string, string>) => address("/expenses", query);
const paid = (month: string) => {
  const { from, to } = monthSpan(month);
  return address("/invoices", { paidFrom: from, paidTo: to });
};

/** Income less costs, by month and category. */
export function profitReport(
  answer: Schemas["ProfitLoss"],
  say: SayReports,
  categoryName: (category: string) => string,
): Report {
  const days = { from: answer.from, to: answer.to };
  return {
    ...days,
    currency: answer.currency,
    hint: say("profitHint"),
    facts: [
      [say("incomeNet"), money(answer.income, address("/invoices", days))],
      [say("expenses"), money(answer.expenses, expenses(days))],
      [say("result"), money(answer.profit)],
      [say("margin"), percent(answer.margin)],
    ],
    chart: {
      label: say("profitChart"),
      months: answer.byMonth.map((figures) => figures.month),
      series: [
        { label: say("incomeNet"), values: answer.byMonth.map((figures) => figures.income), color: "--good" },
        { label: say("expenses"), values: answer.byMonth.map((figures) => figures.expenses), color: "--bad" },
      ],
    },
    tables: [
      {
        title: say("byMonth"),
        columns: [say("month"), say("incomeNet"), say("expenses"), say("result")],
        rows: answer.byMonth.map((figures) => [
          text(monthName(figures.month)),
          money(figures.income, address("/invoices", { ...monthSpan(figures.month) })),
          money(figures.expenses, expenses({ ...monthSpan(figures.month) })),
          money(figures.profit),
        ]),
        foot: [text(say("total")), money(answer.income), money(answer.expenses), money(answer.profit)],
      },
      {
        title: say("byCategory"),
        columns: [say("category"), say("amount")],
        rows: answer.byCategory.map((spending) => [
          text(categoryName(spending.category)),
          money(spending.amount, expenses({ ...days, category: spending.category })),
        ]),
      },
    ],
  };
}

/** Money in and out of twelve months. */
export function cashflowReport(answer: Schemas["Cashflow"], say: SayReports): Report {
  return {
    from: answer.from,
    to: answer.to,
    currency: answer.currency,
    hint: say("cashflowHint"),
    facts: [
      [say("opening"), money(answer.opening)],
      [say("expectedIn"), money(answer.expected.inflow30, "/invoices?status=sent")],
      [say("expectedOut"), money(answer.expected.outflow30, "/payables")],
    ],
    chart: {
      label: say("cashflowChart"),
      months: answer.months.map((figures) => figures.month),
      series: [
        { label: say("inflow"), values: answer.months.map((month) => month.inflow), color: "--good" },
        { label: say("outflow"), values: answer.months.map((month) => month.outflow), color: "--bad" },
        {
          label: say("cumulative"),
          values: answer.months.map((month) => month.cumulative),
          color: "--accent",
        },
      ],
    },
    tables: [
      {
        title: say("byMonth"),
        columns: [say("month"), say("inflow"), say("outflow"), say("net"), say("cumulative")],
        rows: answer.months.map((figures) => [
          text(monthName(figures.month)),
          money(figures.inflow, paid(figures.month)),
          money(figures.outflow, expenses({ ...monthSpan(figures.month) })),
          money(figures.net),
          money(figures.cumulative),
        ]),
      },
    ],
  };
}

/** Output and input tax of a quarter by rate, and retentions. */
export function vatReport(answer: Schemas["TaxSummary"], say: SayReports): Report {
  const { output, input, retentions } = answer;
  const days = { from: answer.from, to: answer.to };
  return {
    ...days,
    currency: answer.currency,
    hint: say("vatHint"),
    facts: [
      [say("outputVat"), money(output.tax, address("/invoices", days))],
      [say("surcharge"), money(output.surcharge)],
      [say("inputVat"), money(input.tax, expenses(days))],
      [answer.balance < 0 ? say("toDeduct") : say("toPay"), money(answer.balance)],
      [say("suffered"), money(retentions.suffered)],
      [say("withheld"), money(retentions.withheld)],
    ],
    tables: [
      {
        title: say("vatSold"),
        columns: [say("rate"), say("base"), say("tax"), say("surcharge")],
        rows: [
          ...output.byRate.map((sums) => [
            text(rateText(sums.rate)),
            money(sums.base),
            money(sums.tax),
            money(sums.surcharge),
          ]),
          [text(say("untaxed")), money(output.untaxed), money(0), money(0)],
        ],
        foot: [text(say("total")), money(output.base), money(output.tax), money(output.surcharge)],
      },
      {
        title: say("vatBought"),
        columns: [say("rate"), say("base"), say("tax")],
        rows: input.byRate.map((sums) => [text(rateText(sums.rate)), money(sums.base), money(sums.tax)]),
        foot: [text(say("total")), money(input.base), money(input.tax)],
      },
    ],
  };
}

function clientName(client: Schemas["ClientIncome"], say: SayReports): Value {
  return client.clientId
    ? text(client.name ?? "", `/clients/${client.clientId}`)
    : text(client.name ?? say("noClient"));
}

/** What was invoiced and collected, by month and client. */
export function incomeReport(answer: Schemas["IncomeSummary"], say: SayReports): Report {
  const days = { from: answer.from, to: answer.to };
  const invoices = (query: Record<string, string>) => address("/invoices", query);
  return {
    ...days,
    currency: answer.currency,
    hint: say("incomeHint"),
    facts: [
      [say("invoiced"), money(answer.invoiced, invoices(days))],
      [say("collected"), money(answer.collected, invoices({ paidFrom: answer.from, paidTo: answer.to }))],
      [say("pending"), money(answer.pending, invoices({ ...days, status: "sent" }))],
      [say("overdue"), money(answer.overdue, invoices({ ...days, status: "overdue" }))],
      [say("count"), count(answer.invoiceCount, invoices(days))],
      [say("average"), money(answer.averageInvoice)],
    ],
    chart: {
      label: say("incomeChart"),
      months: answer.byMonth.map((figures) => figures.month),
      series: [
        {
          label: say("invoiced"),
          values: answer.byMonth.map((figures) => figures.invoiced),
          color: "--accent",
        },
        {
          label: say("collected"),
          values: answer.byMonth.map((figures) => figures.collected),
          color: "--good",
        },
      ],
    },
    tables: [
      {
        title: say("byMonth"),
        columns: [say("month"), say("invoiced"), say("collected")],
        rows: answer.byMonth.map((figures) => [
          text(monthName(figures.month)),
          money(figures.invoiced, invoices({ ...monthSpan(figures.month) })),
          money(figures.collected, paid(figures.month)),
        ]),
        foot: [text(say("total")), money(answer.invoiced), money(answer.collected)],
      },
      {
        title: say("byClient"),
        columns: [say("client"), say("invoiced"), say("count")],
        rows: answer.byClient.map((client) => [
          clientName(client, say),
          money(
            client.invoiced,
            client.clientId ? invoices({ ...days, clientId: client.clientId }) : invoices(days),
          ),
          count(client.invoiceCount),
        ]),
      },
    ],
  };
}
