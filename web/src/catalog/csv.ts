/** A row as the interface takes it: texts by the names of the columns. */
export type CsvRow = Record<string, string>;

const DELIMITERS = [";", ",", "\t"] as const;

/** The delimiter that the first line has most of, outside of quotes. */
function delimiterOf(text: string): string {
  const header = (text.split(/\r?\n/, 1)[0] ?? "").replace(/"[^"]*"/g, "");
  const counted = DELIMITERS.map((sign) => [header.split(sign).length, sign] as const);
  return counted.reduce((most, one) => (one[0] > most[0] ? one : most))[1];
}

/** Cells of a CSV as RFC 4180 has them: quoted cells may hold delimiters, line ends and doubled quotes. */
export function cells(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  const endRow = () => {
    rows.push([...row, cell]);
    row = [];
    cell = "";
  };
  for (let place = 0; place < text.length; place += 1) {
    const sign = text.charAt(place);
    if (isQuoted && sign === '"' && text.charAt(place + 1) === '"') {
      cell += '"';
      place += 1;
    } else if (isQuoted) {
      if (sign === '"') isQuoted = false;
      else cell += sign;
    } else if (sign === '"' && cell === "") isQuoted = true;
    else if (sign === delimiter) {
      row.push(cell);
      cell = "";
    } else if (sign === "\n") endRow();
    else if (sign !== "\r") cell += sign;
  }
  if (cell !== "" || row.length > 0) endRow();
  return rows;
}

/** The rows of a CSV below its header; empty lines are left out, and so are columns without a name. */
export function rowsOf(content: string): CsvRow[] {
  const text = content.replace(/^\ufeff/, "");
  const [header = [], ...rows] = cells(text, delimiterOf(text));
  const names = header.map((name) => name.trim());
  return rows
    .filter((row) => row.some((cell) => cell.trim() !== ""))
    .map((row) =>
      Object.fromEntries(names.flatMap((name, place) => (name === "" ? [] : [[name, row[place] ?? ""]]))),
    );
}

/** A file's text: UTF-8, else as Windows writes it in western Europe. */
export async function textOf(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
