/**
 * What can be seen of a table, and where it comes from: the values of `sculpt/views/model.py`.
 *
 * A source gives any window of a table. One reads the data of a report (`embedded.ts`); a server or
 * an editor can be another. Places count from 1.
 */

export interface Region {
  /** `rule:3`, `type:Names` or `selector:1`. */
  readonly name: string;
  readonly text: string;
  /** The number of its colour. */
  readonly colour: number;
  /** How many cells it has. */
  readonly cells: number;
}

export interface Violation {
  readonly row: number | null;
  readonly column: number | null;
  readonly rule: number | null;
  readonly code: string;
  readonly message: string;
  readonly severity: "error" | "warning";
}

/** Some rows and columns of a table; empty beyond its end. */
export interface Window {
  readonly row: number;
  readonly column: number;
  readonly tableRows: number;
  readonly tableColumns: number;
  /** By row and column; `null` for a padded cell. */
  readonly texts: readonly (readonly (string | null)[])[];
  /** By row and column: the numbers of the regions that hold the cell. */
  readonly regions: readonly (readonly (readonly number[])[])[];
  /** By row and column: does a rule check the cell? */
  readonly checked: readonly (readonly boolean[])[];
  /** The places of cells whose text is longer than shown, as `row,column`. */
  readonly cut: ReadonlySet<string>;
  readonly violations: readonly Violation[];
}

export interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** Rows from the first to the last. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

export interface WindowSource {
  readonly size: Size;
  readonly regions: readonly Region[];
  /** The rows that it has, in order, if it does not have all. */
  readonly ranges?: readonly Range[];
  /** The columns that it has, if it does not have all. */
  readonly columns?: Range;
  window(row: number, rows: number, column: number, columns: number): Promise<Window>;
}
