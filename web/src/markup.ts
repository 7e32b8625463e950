/**
 * Texts that show what they hold, and a short way to make elements.
 *
 * `visible` does what `sculpt/views/html/markup.py` does; a test compares the two.
 */

const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\ud800-\udfff]/gu;
const NAMED: Readonly<Record<number, string>> = { 0x09: "→", 0x0a: "↵", 0x7f: "␡" };

function sign(hidden: string): string {
  const code = hidden.codePointAt(0) ?? 0;
  const named = NAMED[code];
  if (named !== undefined) return named;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** The text with a visible sign for each character that is not seen. */
export function visible(text: string): string {
  return text.replace(HIDDEN, sign);
}

export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** An element; attributes that are `null`, `undefined` or `false` are absent. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    made.setAttribute(key, value === true ? "" : visible(String(value)));
  }
  made.append(...content);
  return made;
}

/** `1 row`, `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** `12,345`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** What spreadsheets call a column: `A`, `Z`, `AA`. */
export function letters(column: number): string {
  let name = "";
  for (let left = column; left > 0; left = Math.floor((left - 1) / 26)) {
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  }
  return name;
}
