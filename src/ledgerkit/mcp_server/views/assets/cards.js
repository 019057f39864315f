/* One card for each shape of an answer. Content is always text: no markup is ever read from it. */

function draw() {
  useLanguage();
  document.documentElement.lang = languageOf(locale);
  const { theme } = host.context;
  document.documentElement.style.colorScheme = ["light", "dark"].includes(theme) ? theme : "";
  document.querySelector("main").replaceChildren(...cardOrText().filter(Boolean));
}

/* An answer that no card can be drawn of is shown as text: a host passes on what it likes. */
function cardOrText() {
  try {
    return card();
  } catch {
    return [wholeAnswer()];
  }
}

function card() {
  if (isCancelled) return [element("p", words.cancelled)];
  if (result === undefined) return [element("p", words.waiting)];
  const answer = answered();
  if (result.isError) return refusal(answer);
  if (answer.confirmationRequired) return question(answer);
  if (answer.proposed) return proposal(answer);
  const shown = shapeOf(answer);
  return shown ? [...shown, shortened(answer)] : [element("h1", words.done), wholeAnswer()];
}

function shapeOf(answer) {
  if (answer.boxes) return taxForm(answer);
  if (answer.docType) return invoice(answer);
  if (answer.invoice?.docType) return invoice(answer.invoice);
  return answer.fiscalId ? fiscalRecord(answer) : undefined;
}

function text() {
  return (result.content ?? []).find((part) => part.type === "text")?.text ?? "";
}

function answered() {
  if (result.structuredContent) return result.structuredContent;
  try {
    return Object(JSON.parse(text()));
  } catch {
    return {};
  }
}

// ---------------------------------------------------------------- parts of a card

function element(tag, ...children) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  made.append(...children.filter((child) => child !== undefined && child !== ""));
  return made;
}

function isFilled(value) {
  return value !== undefined && value !== null && value !== "";
}

function facts(rows, tag = "dl") {
  const filled = rows.filter(([, value]) => isFilled(value));
  return filled.length && element(tag, ...filled.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
}

function table(caption, heads, rows) {
  const head = element("tr", ...heads.map((name, place) => scoped("col", name, place, heads.length)));
  const body = rows.map(([first, ...others]) =>
    element("tr", scoped("row", first, 0), ...others.map((cell, place) => cellOf(cell, place + 1, heads.length))),
  );
  const parts = [element("caption", caption), element("thead", head), element("tbody", ...body)];
  return rows.length && element("table", ...parts);
}

function scoped(scope, content, place, count = 0) {
  const head = element(place > 0 && place === count - 1 ? "th.number" : "th", ...[content].flat());
  head.scope = scope;
  return head;
}

function cellOf(content, place, count) {
  return element(place === count - 1 ? "td.number" : "td", ...[content].flat());
}

function note(title, messages) {
  if (!messages?.length) return undefined;
  const list = element("ul", ...messages.map((each) => element("li", each.message ?? String(each))));
  return element("section.note", element("h2", title), list);
}

function shortened(answer) {
  return answer.truncated && element("p.note", words.shortened);
}

function wholeAnswer() {
  return element("details", element("summary", words.answer), element("pre", text()));
}

// ---------------------------------------------------------------- questions

/* A question shows what would happen. It has no button that confirms, and the token in the answer is neither shown nor
   used: what confirms must not come from the page. The person answers in the conversation or in the web app. */
function question(answer) {
  const state = element("p.kind", words.preview);
  return [state, ...summary(answer.question), until(answer), element("p.note", words.confirm_elsewhere)];
}

function proposal(answer) {
  const ways = [element("p.note", words.approve_elsewhere), opener(answer.url), element("p.address", answer.url)];
  return [element("p.kind", words.proposal), ...summary(answer.summary), until(answer), ...ways];
}

function summary(lines) {
  const [effect, ...others] = String(lines ?? "").split("\n");
  const afterwards = others.pop();
  const plain = others.filter((line) => !line.includes(": ")).map((line) => element("p", line));
  const labelled = others.filter((line) => line.includes(": ")).map(parted);
  return [element("h1", effect), facts(labelled), ...plain, afterwards && element("p.strong", afterwards)];
}

function parted(line) {
  const end = line.indexOf(": ");
  return [line.slice(0, end), line.slice(end + 2)];
}

function until(answer) {
  return facts([[words.until, moment(answer.expiresAt)]]);
}

function opener(url) {
  if (!host.capabilities.openLinks) return undefined;
  const button = element("button", words.open);
  button.type = "button";
  button.addEventListener("click", () => request("ui/open-link", { url }).catch(() => {}));
  return button;
}

function refusal(answer) {
  const errors = (answer.errors ?? []).map((error) => [error.field ?? "", error.message ?? ""]);
  const told = answer.message ?? (errors.length ? undefined : text());
  return [element("h1", words.not_done), told && element("p", told), facts(errors)];
}

// ---------------------------------------------------------------- invoices

function invoice(record) {
  const { client = {}, currency = "EUR" } = record;
  const kind = element("p.kind", [word(record.docType), word(record.status)].join(" · "));
  const title = element("h1", [record.number ?? word("draft"), client.name].filter(Boolean).join(" · "));
  const about = [
    [words.client, client.name],
    [words.client_tax_id, client.taxId],
    [words.issue_date, day(record.issueDate)],
    [words.due_date, day(record.dueDate)],
    [words.fiscal_record, record.einvoice && word(record.einvoice.status)],
  ];
  const lines = (record.items ?? []).map((line) => invoiceLine(line, currency));
  const warnings = note(words.warnings, record.warnings);
  return [kind, title, facts(about), table(words.lines, [words.concept, words.amount], lines), ...sums(record), warnings];
}

function invoiceLine(line, currency) {
  const details = [
    `${number(line.quantity)} × ${sum(line.unitPrice, currency)}`,
    line.discount && `${words.discount} ${percent(line.discount)}`,
    isFilled(line.taxRate) && `${taxName(line)} ${percent(line.taxRate)}`,
    line.exemptionCode ?? line.notSubjectReason,
  ];
  const concept = [line.description, element("small", details.filter(Boolean).join(", "))];
  return [concept, sum(line.lineTotal, currency)];
}

function taxName(part) {
  return part.tax ? String(part.tax).toUpperCase() : words.tax;
}

function sums(record) {
  const { currency = "EUR" } = record;
  const taxes = (record.taxBreakdown ?? []).map((row) => [
    `${taxName(row)} ${percent(row.rate)} (${sum(row.base, currency)})`,
    sum(row.amount, currency),
  ]);
  const rows = [
    [words.base, sum(record.subtotal, currency)],
    ...taxes,
    [words.surcharge, record.surchargeAmount && sum(record.surchargeAmount, currency)],
    [words.retention, record.retentionAmount && sum(record.retentionAmount, currency)],
    [words.total, element("span.strong", sum(record.total, currency))],
    [words.amount_paid, record.amountPaid && sum(record.amountPaid, currency)],
    [words.owed, record.amountPaid && sum(record.balance, currency)],
  ];
  return [element("h2", words.totals), facts(rows.filter(([, value]) => value !== 0), "dl.sums")];
}

function fiscalRecord(record) {
  const about = [
    [words.number, record.number],
    [words.status, word(record.status)],
    [words.fiscal_record, record.fiscalId],
    [words.date, moment(record.issuedAt)],
  ];
  const title = [words.fiscal_record, record.number].filter(Boolean).join(" · ");
  return [element("h1", title), facts(about), note(words.warnings, [...(record.errors ?? []), ...(record.warnings ?? [])])];
}

// ---------------------------------------------------------------- tax forms

function taxForm(form) {
  const kind = element("p.kind", word(form.status));
  const title = element("h1", [form.formName, form.form, form.period, form.year].filter(isFilled).join(" · "));
  const about = [
    [words.period, [day(form.periodStart), day(form.periodEnd)].filter(Boolean).join(" – ")],
    [words.last_day, day(form.dueDate)],
    [words[form.resultKind] ?? words.result, plainSum(form.totals?.result)],
  ];
  const boxes = boxesOf(form).map(([box, { name, value, computed }]) => [
    box,
    [name ?? "", computed === undefined ? "" : element("small", `${words.computed} ${plainSum(computed)}`)],
    plainSum(value),
  ]);
  const numbers = table(words.boxes, [words.box, words.name, words.value], boxes);
  return [kind, title, facts(about), numbers, documents(form), note(words.warnings, form.warnings)];
}

/* Boxes by number: brief answers have those that are not zero with their names, full ones have all in two tables. */
function boxesOf(form) {
  const entries = form.effectiveBoxes
    ? Object.entries(form.effectiveBoxes).map(([box, value]) => [box, { name: form.boxNames?.[box], value }])
    : Object.entries(form.boxes);
  return entries.filter(([box, { value, computed }]) => value || computed || form.manualOverrides?.[box]).sort(byNumber);
}

function byNumber([left], [right]) {
  return left.localeCompare(right, "en", { numeric: true });
}

function documents(form) {
  const rows = (form.documents ?? []).map((one) => [
    one.number ?? one.documentId,
    [one.party ?? "", element("small", day(one.date))],
    plainSum(one.amount),
  ]);
  return table(words.documents, [words.number, words.name, words.amount], rows);
}

draw();
connect().catch(() => {}); // a host that refuses the view shows the text itself
