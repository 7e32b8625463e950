/**
 * Which rows are where: the rows that a source has, one below the other, and how far a scroll bar
 * must be moved for each of them.
 *
 * Browsers cap the height of an element at 17 to 33 million pixels, which a large table exceeds. So
 * above `MAX_HEIGHT` positions are scaled: a pixel of the scroll bar is then several rows.
 */

import type { Range } from "./model";

export const ROW_HEIGHT = 32;
export const MAX_HEIGHT = 8_000_000;

export class Layout {
  /** How many rows there are to see. */
  readonly rows: number;
  readonly #ranges: readonly Range[];

  constructor(ranges: readonly Range[]) {
    this.#ranges = ranges;
    this.rows = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  /** The height of all rows, in pixels of the scroll bar. */
  get height(): number {
    return Math.min(this.rows * ROW_HEIGHT, MAX_HEIGHT);
  }

  get isScaled(): boolean {
    return this.rows * ROW_HEIGHT > MAX_HEIGHT;
  }

  /** The first row to see, counted from 0, when the scroll bar is at a position. */
  topAt(position: number, viewport: number): number {
    const visible = Math.floor(viewport / ROW_HEIGHT);
    const most = Math.max(0, this.rows - visible + 1);
    const way = Math.max(1, this.height - viewport);
    const top = this.isScaled ? (position / way) * most : position / ROW_HEIGHT;
    return Math.max(0, Math.min(most, Math.round(top)));
  }

  /** Where the scroll bar is when a row, counted from 0, is the first to see. */
  positionOf(top: number, viewport: number): number {
    const visible = Math.floor(viewport / ROW_HEIGHT);
    const most = Math.max(1, this.rows - visible + 1);
    const way = Math.max(1, this.height - viewport);
    return this.isScaled ? (Math.min(top, most) / most) * way : top * ROW_HEIGHT;
  }

  /** Some of the rows, counted from 0, as ranges of the table. */
  slice(top: number, count: number): Range[] {
    const found: Range[] = [];
    let before = 0;
    for (const { first, last } of this.#ranges) {
      const from = first + Math.max(0, top - before);
      const to = Math.min(last, first + top + count - 1 - before);
      if (from <= to) found.push({ first: from, last: to });
      before += last - first + 1;
    }
    return found;
  }

  /** The place of a row among those to see, or of the nearest one, counted from 0. */
  indexOf(row: number): number {
    let before = 0;
    let nearest = { distance: Infinity, index: 0 };
    for (const { first, last } of this.#ranges) {
      const inside = Math.max(first, Math.min(last, row));
      const distance = Math.abs(row - inside);
      if (distance < nearest.distance) nearest = { distance, index: before + inside - first };
      before += last - first + 1;
    }
    return nearest.index;
  }

  /** The row of the table at an index. */
  rowAt(index: number): number {
    return this.slice(Math.max(0, Math.min(this.rows - 1, index)), 1)[0]?.first ?? 1;
  }
}
