/**
 * Windows as tables: the same elements as `sculpt/views/html/parts/table.py` makes, which is the
 * reference. A cell has the tint of its first region and a lane for each of the first four; marks of
 * violations and of cells that no rule checks have names, so nothing is said by colour alone.
 */

import { counted, element, grouped, letters, visible } from "./markup";
import type { Region, Violation, Window } from "./model";

const MAX_LANES = 4;

export interface TableOptions {
  /** What the identifiers of its parts begin with. */
  readonly id: string;
  readonly regions: readonly Region[];
  /** The number of the region that stands out; the others are dimmed. */
  readonly focus?: number | null;
  /** A cell that the keyboard can reach, as row and column. */
  readonly target?: readonly [number, number] | null;
  readonly describedBy?: string | null;
  /** Say how many rows are left out before, between and after the windows. */
  readonly gaps?: boolean;
}

/** The table of some windows with the same columns, in the order of their rows. */
export function table(windows: readonly Window[], options: TableOptions): HTMLElement {
  const shown = windows.filter((each) => each.texts.length > 0 && (each.texts[0]?.length ?? 0) > 0);
  const first = shown[0];
  if (first === undefined) {
    return element("p", { class: "sv-empty" }, "The table is empty here.");
  }
  const made = element("table", { class: "sv-table" });
  made.append(element("caption", {}, caption(shown)), head(first));
  let last = 0;
  for (const each of shown) {
    if (options.gaps) made.append(...gap(last + 1, each.row - 1, columnsOf(first)));
    made.append(body(each, options));
    last = each.row + each.texts.length - 1;
  }
  if (options.gaps) made.append(...gap(last + 1, first.tableRows, columnsOf(first)));
  return made;
}

function columnsOf(window: Window): number {
  return window.texts[0]?.length ?? 0;
}

function gap(first: number, last: number, columns: number): HTMLElement[] {
  if (first > last) return [];
  const words =
    first === last ? `row ${grouped(first)}` : `rows ${grouped(first)} to ${grouped(last)}`;
  const cell = element("td", { colspan: columns + 1 }, `⋮ ${words} not shown`);
  return [element("tbody", { class: "sv-gap" }, element("tr", {}, cell))];
}

function caption(windows: readonly Window[]): string {
  const first = windows[0] as Window;
  const rows = windows.reduce((sum, each) => sum + each.texts.length, 0);
  const words = [
    extent(rows, first.tableRows, "row", windows.length === 1 ? first.row : null),
    extent(columnsOf(first), first.tableColumns, "column", first.column),
  ].join(", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function extent(count: number, whole: number, noun: string, at: number | null): string {
  if (count === whole) return counted(whole, noun);
  if (at === null) return `${grouped(count)} of ${counted(whole, noun)}`;
  if (count === 1) return `${noun} ${grouped(at)} of ${grouped(whole)}`;
  return `${noun}s ${grouped(at)} to ${grouped(at + count - 1)} of ${grouped(whole)}`;
}

function head(window: Window): HTMLElement {
  const row = element("tr", {}, element("td"));
  for (let ix = 0; ix < columnsOf(window); ix++) {
    const number = window.column + ix;
    const name = element("b", {}, String(number));
    row.append(element("th", { scope: "col" }, name, letters(number)));
  }
  return element("thead", {}, row);
}

function body(window: Window, options: TableOptions): HTMLElement {
  const violations = new Map<string, Violation[]>();
  for (const each of window.violations) {
    if (each.row === null) continue;
    const place = `${each.row},${each.column ?? 0}`;
    violations.set(place, [...(violations.get(place) ?? []), each]);
  }
  const made = element("tbody", { id: `${options.id}-r${window.row}` });
  window.texts.forEach((texts, rowIx) => {
    const row = window.row + rowIx;
    const line = element("tr", {}, rowHead(row, violations.get(`${row},0`) ?? [], options));
    texts.forEach((_, colIx) => {
      const found = violations.get(`${row},${window.column + colIx}`) ?? [];
      line.append(cell(window, rowIx, colIx, found, options));
    });
    made.append(line);
  });
  return made;
}

function rowHead(row: number, found: readonly Violation[], options: TableOptions): HTMLElement {
  const made = element(
    "th",
    { scope: "row", class: kindOf(found), ...target(row, 0, options) },
    String(row),
  );
  if (found.length > 0) made.append(mark(violationLabel(found)));
  return made;
}

function cell(
  window: Window,
  rowIx: number,
  colIx: number,
  found: readonly Violation[],
  options: TableOptions,
): HTMLElement {
  const [row, column] = [window.row + rowIx, window.column + colIx];
  const text = window.texts[rowIx]?.[colIx] ?? null;
  const numbers = window.regions[rowIx]?.[colIx] ?? [];
  const colours = numbers.map((number) => options.regions[number]?.colour ?? 0);
  const isUnchecked = Boolean(text) && !window.checked[rowIx]?.[colIx];
  const classes: string[] = [];
  if (colours.length > 0) classes.push(`c${colours[0]}`);
  if (text === null) classes.push("pad");
  if (options.focus != null) classes.push(numbers.includes(options.focus) ? "in" : "out");
  const kind = kindOf(found);
  if (kind !== null) classes.push(kind);
  else if (isUnchecked) classes.push("unchecked");
  const made = element("td", {
    class: classes.join(" ") || null,
    "data-r": numbers.join(" ") || null,
    ...target(row, column, options),
  });
  if (text) made.append(element("bdi", {}, visible(text)));
  if (window.cut.has(`${row},${column}`)) made.append(element("span", { class: "more" }, "…"));
  if (found.length > 0) made.append(mark(violationLabel(found)));
  else if (isUnchecked) made.append(mark("checked by no rule"));
  if (colours.length > 0) made.append(lanes(colours));
  return made;
}

function target(row: number, column: number, options: TableOptions): Record<string, string> {
  if (options.target?.[0] !== row || options.target[1] !== column) return {};
  return {
    tabindex: "0",
    ...(options.describedBy ? { "aria-describedby": options.describedBy } : {}),
  };
}

function violationLabel(found: readonly Violation[]): string {
  const parts: string[] = [];
  for (const [severity, word] of [
    ["error", "violation"],
    ["warning", "warning"],
  ]) {
    const names = found
      .filter((each) => each.severity === severity)
      .map((each) => (each.rule === null ? each.code : `rule ${each.rule}`));
    if (names.length > 0) parts.push(`${word}: ${[...new Set(names)].join(", ")}`);
  }
  return parts.join("; ");
}

/** The class of a place: `bad`, or `warned` if all that is found there are warnings. */
function kindOf(found: readonly Violation[]): string | null {
  if (found.length === 0) return null;
  return found.some((each) => each.severity === "error") ? "bad" : "warned";
}

function mark(label: string): HTMLElement {
  return element("span", { class: "mark", role: "img", "aria-label": label, title: label });
}

function lanes(colours: readonly number[]): HTMLElement {
  const made = element("span", { class: "lanes", "aria-hidden": "true" });
  for (const colour of colours.slice(0, MAX_LANES)) made.append(element("i", { class: `c${colour}` }));
  const more = colours.length - MAX_LANES;
  if (more > 0) made.append(element("small", {}, `+${more}`));
  return made;
}
