/** Violations as CSV files (RFC 4180), from the data of a page. */

type Value = string | number | null | readonly string[];

export interface CsvData {
  readonly columns: readonly string[];
  readonly rules: Readonly<
    Record<
      string,
      {
        readonly file: string;
        /** The columns that are the same for all: code, rule, line. */
        readonly same: readonly Value[];
        readonly rows: readonly (readonly Value[])[];
      }
    >
  >;
}

/** A missing value is an empty field, an empty text is `""`, several texts are a JSON array. */
function field(value: Value): string {
  if (value === null) return "";
  const text =
    typeof value === "object"
      ? `[${value.map((each) => JSON.stringify(each)).join(", ")}]`
      : String(value);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The file of a rule, by its identifier in the page; a mark at its start says that it is UTF-8. */
export function csvFile(data: CsvData, name: string): string | null {
  const rule = data.rules[name];
  if (rule === undefined) return null;
  const lines = rule.rows.map((row) => [rule.file, ...rule.same, ...row]);
  return `\ufeff${[data.columns, ...lines].map((line) => `${line.map(field).join(",")}\r\n`).join("")}`;
}

/** Offer a text as a file. */
export function save(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
