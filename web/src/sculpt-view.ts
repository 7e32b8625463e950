/**
 * `<sculpt-view>`: a table as a schema sees it.
 *
 *     const view = document.querySelector("sculpt-view");
 *     view.source = source;           // a WindowSource; or `data-source` names a block of JSON
 *     view.focusRegion = "rule:3";    // fills this region and dims the rest
 *     view.showPlace(120, 4);         // brings a cell into view
 *
 * What is inside it before is a static table, which it replaces by equal elements. Up to `WHOLE` rows
 * are drawn at once; of more only those that can be seen, on demand. The arrow keys move from cell
 * to cell, and what there is to say about a cell is said below the table.
 */

import { EmbeddedSource, type EmbeddedData } from "./embedded";
import { Layout, ROW_HEIGHT } from "./layout";
import { element, grouped, letters, visible } from "./markup";
import type { Range, Window, WindowSource } from "./model";
import { table } from "./table";

const WHOLE = 400;
const COLUMNS = 30;

export class SculptView extends HTMLElement {
  #source: WindowSource | null = null;
  #layout = new Layout([]);
  #windows: readonly Window[] = [];
  #focus: number | null = null;
  #top = 0;
  #column = 1;
  #cursor: [number, number] | null = null;
  #request = 0;
  #expected = -1;
  #rest = 0;
  #spacer: HTMLElement | null = null;
  #status: HTMLElement | null = null;

  connectedCallback(): void {
    const name = this.dataset.source;
    if (this.#source !== null || name === undefined) return;
    const block = document.getElementById(name);
    if (block?.textContent) {
      this.source = new EmbeddedSource(JSON.parse(block.textContent) as EmbeddedData);
    }
  }

  get source(): WindowSource | null {
    return this.#source;
  }

  set source(source: WindowSource | null) {
    this.#source = source;
    this.#request += 1;
    this.#cursor = null;
    this.#focus = null;
    this.#top = 0;
    if (source === null) {
      this.replaceChildren();
      this.#spacer = this.#status = null;
      return;
    }
    const { rows } = source.size;
    this.#layout = new Layout(source.ranges ?? (rows > 0 ? [{ first: 1, last: rows }] : []));
    this.#column = this.#columnRange.first;
    this.#prepare();
    void this.#draw();
  }

  /** The name of the region that stands out. */
  get focusRegion(): string | null {
    return this.#focus === null ? null : (this.#source?.regions[this.#focus]?.name ?? null);
  }

  set focusRegion(name: string | null) {
    const found = this.#source?.regions.findIndex((each) => each.name === name) ?? -1;
    const focus = found < 0 ? null : found;
    if (focus === this.#focus) return;
    this.#focus = focus;
    this.#render();
    this.dispatchEvent(new CustomEvent("sculpt-focus", { detail: this.focusRegion }));
  }

  /** Bring a cell into view, or the nearest row that the source has, and make it the current one. */
  async showPlace(row: number, column?: number): Promise<void> {
    if (this.#source === null || this.#layout.rows === 0) return;
    const near = this.#layout.rowAt(this.#layout.indexOf(row));
    const { first, last } = this.#columnRange;
    const across = Math.max(first, Math.min(last, column ?? first));
    await this.#moveTo(near, across);
  }

  // ------------------------------------------------------------- drawing

  get #columnRange(): Range {
    return this.#source?.columns ?? { first: 1, last: this.#source?.size.columns ?? 0 };
  }

  get #shownColumns(): number {
    const { last } = this.#columnRange;
    const all = last - this.#columnRange.first + 1;
    return this.#source?.columns ? all : Math.min(COLUMNS, last - this.#column + 1);
  }

  get #isLive(): boolean {
    return this.#layout.rows > WHOLE;
  }

  get #scroller(): HTMLElement {
    return this.querySelector<HTMLElement>(".sv-scroll") as HTMLElement;
  }

  get #visibleRows(): number {
    return Math.max(1, Math.ceil(this.#scroller.clientHeight / ROW_HEIGHT));
  }

  /** The parts around the table: what scrolls, what is said about a cell. */
  #prepare(): void {
    this.classList.toggle("sv-live", this.#isLive);
    let scroller = this.querySelector<HTMLElement>(".sv-scroll");
    if (scroller === null) {
      const label = this.getAttribute("aria-label") ?? "The table";
      scroller = element("div", {
        class: "sv-scroll",
        tabindex: 0,
        role: "region",
        "aria-label": label,
      });
      this.append(scroller);
    }
    if (this.#status === null) {
      this.#status = element("div", { class: "sv-status", role: "status" });
      this.#status.append(
        element("p", { class: "note" }, "Choose a cell, or move with the arrow keys, to read about it."),
      );
      this.append(this.#status);
      scroller.addEventListener("scroll", () => this.#scrolled());
      scroller.addEventListener("wheel", (event) => this.#wheeled(event), { passive: false });
      scroller.addEventListener("keydown", (event) => this.#keyed(event));
      scroller.addEventListener("click", (event) => this.#clicked(event));
    }
    this.#columnButtons();
    if (this.#isLive) {
      this.#spacer = element("div");
      this.#spacer.style.height = `${this.#layout.height}px`;
      scroller.replaceChildren(this.#spacer);
    } else {
      this.#spacer = null;
    }
  }

  async #draw(): Promise<void> {
    const source = this.#source;
    if (source === null) return;
    const request = ++this.#request;
    const ranges = this.#isLive
      ? this.#layout.slice(this.#top, this.#visibleRows)
      : this.#layout.slice(0, this.#layout.rows);
    const columns = this.#shownColumns;
    const windows = await Promise.all(
      ranges.map(({ first, last }) =>
        source.window(first, last - first + 1, this.#column, columns),
      ),
    );
    if (request !== this.#request) return; // a later one has been asked for
    this.#windows = windows;
    this.#render();
  }

  #render(): void {
    const source = this.#source;
    if (source === null) return;
    const made = table(this.#windows, {
      id: this.id,
      regions: source.regions,
      focus: this.#focus,
      gaps: !this.#isLive,
    });
    (this.#spacer ?? this.#scroller).replaceChildren(made);
    this.dispatchEvent(new CustomEvent("sculpt-drawn"));
  }

  #columnButtons(): void {
    this.querySelector(".sv-bar")?.remove();
    const { first, last } = this.#columnRange;
    if (this.#source?.columns || last - first + 1 <= COLUMNS) return;
    const label = element("span", {}, this.#columnWords());
    const turn = (by: number) => () => {
      const most = Math.max(first, last - COLUMNS + 1);
      this.#column = Math.max(first, Math.min(most, this.#column + by));
      label.textContent = this.#columnWords();
      void this.#draw();
    };
    const back = element("button", { type: "button" }, "‹ Columns before");
    const on = element("button", { type: "button" }, "Columns after ›");
    back.addEventListener("click", turn(-COLUMNS));
    on.addEventListener("click", turn(COLUMNS));
    this.prepend(element("div", { class: "sv-bar" }, back, on, label));
  }

  #columnWords(): string {
    const to = this.#column + this.#shownColumns - 1;
    return `columns ${grouped(this.#column)} to ${grouped(to)} of ${grouped(this.#columnRange.last)}`;
  }

  // ------------------------------------------------------------- scrolling

  #scrolled(): void {
    if (!this.#isLive) return;
    const { scrollTop, clientHeight } = this.#scroller;
    if (Math.abs(scrollTop - this.#expected) < 1) return; // moved by us, and drawn already
    this.#expected = -1;
    const top = this.#layout.topAt(scrollTop, clientHeight);
    if (top === this.#top) return;
    this.#top = top;
    void this.#draw();
  }

  /** Where a pixel of the scroll bar is several rows, the wheel still moves by rows. */
  #wheeled(event: WheelEvent): void {
    if (!this.#isLive || !this.#layout.isScaled || event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? ROW_HEIGHT : 1;
    this.#rest += (event.deltaY * pixels) / ROW_HEIGHT;
    const rows = Math.trunc(this.#rest);
    this.#rest -= rows;
    if (rows !== 0) void this.#scrollTo(this.#top + rows);
  }

  async #scrollTo(top: number): Promise<void> {
    const most = Math.max(0, this.#layout.rows - this.#visibleRows + 1);
    this.#top = Math.max(0, Math.min(most, top));
    const scroller = this.#scroller;
    scroller.scrollTop = this.#layout.positionOf(this.#top, scroller.clientHeight);
    this.#expected = scroller.scrollTop; // as the browser has rounded it
    await this.#draw();
  }

  // ------------------------------------------------------------- the current cell

  #keyed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || this.#layout.rows === 0) return;
    const page = Math.max(1, this.#visibleRows - 2);
    const steps: Readonly<Record<string, readonly [number, number]>> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      PageUp: [-page, 0],
      PageDown: [page, 0],
      Home: [0, -this.#shownColumns],
      End: [0, this.#shownColumns],
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = this.#cursor;
    if (at === null) {
      const start = this.#layout.rowAt(this.#isLive ? this.#top : 0);
      void this.#moveTo(start, this.#column);
      return;
    }
    const index = this.#layout.indexOf(at[0]) + step[0];
    const row = this.#layout.rowAt(Math.max(0, Math.min(this.#layout.rows - 1, index)));
    const last = this.#column + this.#shownColumns - 1;
    void this.#moveTo(row, Math.max(this.#column, Math.min(last, at[1] + step[1])));
  }

  #clicked(event: MouseEvent): void {
    const found = (event.target as Element).closest("tbody td, tbody th");
    const line = found?.parentElement;
    const row = line?.querySelector("th");
    if (!found || !line || !row) return;
    const number = Number(row.firstChild?.textContent);
    const column = [...line.children].indexOf(found) - 1 + this.#column;
    void this.#moveTo(number, Math.max(this.#column, column));
  }

  async #moveTo(row: number, column: number): Promise<void> {
    this.#cursor = [row, column];
    if (column < this.#column || column >= this.#column + this.#shownColumns) {
      const { first, last } = this.#columnRange;
      this.#column = Math.max(first, Math.min(last - COLUMNS + 1, column - COLUMNS / 2));
      this.#columnButtons();
      await this.#draw();
    }
    if (this.#isLive) {
      const index = this.#layout.indexOf(row);
      const last = this.#top + this.#visibleRows - 3;
      if (index < this.#top || index > last) {
        const middle = index - Math.floor(this.#visibleRows / 2);
        const near = index < this.#top ? index : index - this.#visibleRows + 3;
        await this.#scrollTo(Math.abs(index - this.#top) > this.#visibleRows * 2 ? middle : near);
      }
    }
    this.#enter(row, column);
    this.#say(row, column);
  }

  /** Put the keyboard's focus on the current cell. */
  #enter(row: number, column: number): void {
    for (const each of this.querySelectorAll('[tabindex="-1"]')) each.removeAttribute("tabindex");
    for (const head of this.querySelectorAll("tbody th")) {
      if (head.firstChild?.textContent !== String(row)) continue;
      const cell = head.parentElement?.children[column - this.#column + 1];
      if (!(cell instanceof HTMLElement)) return;
      cell.tabIndex = -1;
      cell.focus({ preventScroll: this.#isLive });
      return;
    }
  }

  #say(row: number, column: number): void {
    const window = this.#windows.find(
      (each) => each.row <= row && row < each.row + each.texts.length,
    );
    if (window === undefined || this.#source === null || this.#status === null) return;
    const [rowIx, colIx] = [row - window.row, column - window.column];
    const text = window.texts[rowIx]?.[colIx];
    const place = `Row ${grouped(row)}, column ${grouped(column)} (${letters(column)}): `;
    const first = element("p", {}, element("b", {}, place));
    if (text === null || text === undefined) first.append("padding, the row ends before it");
    else if (text === "") first.append("an empty cell");
    else first.append(element("bdi", {}, visible(text)));
    const said = [first];
    const regions = window.regions[rowIx]?.[colIx] ?? [];
    if (regions.length > 0) {
      const names = regions.map((number) => this.#source?.regions[number]?.name.replace(":", " "));
      said.push(element("p", {}, `Selected by ${names.join(", ")}.`));
    }
    if (text && !window.checked[rowIx]?.[colIx]) said.push(element("p", {}, "Checked by no rule."));
    for (const each of window.violations) {
      if (each.row !== row || (each.column !== column && each.column !== null)) continue;
      const rule = each.rule === null ? each.code : `rule ${each.rule}`;
      const word = each.severity === "warning" ? "Warning" : "Violation";
      const line = element("p", {}, element("b", {}, `${word} of ${rule}: `));
      line.append(element("bdi", {}, visible(each.message)));
      said.push(line);
    }
    this.#status.replaceChildren(...said);
  }
}
