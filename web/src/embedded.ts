/** Windows from the data of a page, which `sculpt/views/html/embedded.py` writes. */

import type { Range, Region, Size, Violation, Window, WindowSource } from "./model";

interface EmbeddedWindow {
  readonly row: number;
  readonly column: number;
  readonly texts: readonly (readonly (string | null)[])[];
  readonly kinds: readonly (readonly number[])[];
  readonly cut: readonly (readonly [number, number])[];
  readonly violations: readonly (readonly [
    number | null,
    number | null,
    number | null,
    string,
    string,
    "error" | "warning",
  ])[];
}

export interface EmbeddedData {
  readonly rows: number;
  readonly columns: number;
  readonly regions: readonly Region[];
  /** The sets of regions that occur, each with 1 if a rule checks such a cell. */
  readonly kinds: readonly (readonly [readonly number[], number])[];
  readonly windows: readonly EmbeddedWindow[];
}

/** The rows that a page has; a window never spans two of its ranges. */
export class EmbeddedSource implements WindowSource {
  readonly size: Size;
  readonly regions: readonly Region[];
  readonly ranges: readonly Range[];
  readonly columns: Range;
  readonly #data: EmbeddedData;

  constructor(data: EmbeddedData) {
    this.#data = data;
    this.size = { rows: data.rows, columns: data.columns };
    this.regions = data.regions;
    this.ranges = data.windows.map(({ row, texts }) => ({
      first: row,
      last: row + texts.length - 1,
    }));
    const first = data.windows[0];
    const across = first?.texts[0]?.length ?? 0;
    const start = first?.column ?? 1;
    this.columns = { first: start, last: start + across - 1 };
  }

  async window(row: number, rows: number, column: number, columns: number): Promise<Window> {
    const held = this.#data.windows.find(
      (each) => each.row <= row && row < each.row + each.texts.length,
    );
    const down = held === undefined ? 0 : row - held.row;
    const texts = held?.texts.slice(down, down + rows) ?? [];
    const across = column - (held?.column ?? 1);
    const kinds = held?.kinds.slice(down, down + rows) ?? [];
    const known = kinds.map((line) =>
      line.slice(across, across + columns).map((kind) => this.#data.kinds[kind] ?? ([[], 0] as const)),
    );
    const inside = (at: number | null, from: number, count: number): boolean =>
      at !== null && from <= at && at < from + count;
    return {
      row,
      column,
      tableRows: this.size.rows,
      tableColumns: this.size.columns,
      texts: texts.map((line) => line.slice(across, across + columns)),
      regions: known.map((line) => line.map((kind) => kind[0])),
      checked: known.map((line) => line.map((kind) => kind[1] === 1)),
      cut: new Set((held?.cut ?? []).map(([r, c]) => `${r},${c}`)),
      violations: (held?.violations ?? [])
        .map(
          ([r, c, rule, code, message, severity]): Violation => ({
            row: r,
            column: c,
            rule,
            code,
            message,
            severity,
          }),
        )
        .filter(
          (each) =>
            inside(each.row, row, texts.length) &&
            (each.column === null || inside(each.column, column, columns)),
        ),
    };
  }
}
