/* Words, numbers and days in the reader's language. Numbers are shown as they came: nothing is computed. */

const TEXTUAL = /^\d{4}-\d\d-\d\d$/;
let words = WORDS.en;
let locale = "en";

function useLanguage() {
  const asked = [host.context.locale, ...navigator.languages].filter(isLocale);
  locale = asked.find((each) => languageOf(each) in WORDS) ?? "en";
  words = WORDS[languageOf(locale)];
}

function isLocale(tag) {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function languageOf(tag) {
  return new Intl.Locale(tag).language;
}

function word(name) {
  return Object.hasOwn(words, name) ? words[name] : String(name ?? "");
}

function number(value, options = {}) {
  if (typeof value !== "number") return String(value ?? "");
  return new Intl.NumberFormat(locale, { useGrouping: "always", maximumFractionDigits: 8, ...options }).format(value);
}

function sum(value, currency) {
  return number(value, { style: "currency", currency, minimumFractionDigits: 2 });
}

function plainSum(value) {
  return number(value, { minimumFractionDigits: 2 });
}

function percent(value) {
  return number(value, { style: "unit", unit: "percent" });
}

function day(text) {
  if (!TEXTUAL.test(text ?? "")) return String(text ?? "");
  return new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${text}T00:00:00Z`));
}

function moment(text) {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return String(text ?? "");
  const options = { dateStyle: "long", timeStyle: "short" };
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: host.context.timeZone }).format(time);
  } catch {
    return new Intl.DateTimeFormat(locale, options).format(time);
  }
}
