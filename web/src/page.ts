/**
 * The script of a report. The page is complete without it; this adds search and filters, the focus
 * on a rule, jumps into the table, the CSV files, and opens everything for printing.
 */

import { csvFile, save, type CsvData } from "./csv";
import { addFilters } from "./filters";
import { element } from "./markup";
import { SculptView } from "./sculpt-view";

customElements.define("sculpt-view", SculptView);

let isPrinting = false;

const all = <Kind extends Element = HTMLElement>(selector: string, within: ParentNode = document) => [
  ...within.querySelectorAll<Kind>(selector),
];

/** The table that belongs to a part of the page: that of its file, or the first. */
function viewOf(part: Element): SculptView | null {
  const file = part.closest(".file") ?? document;
  const found = file.querySelector("sculpt-view") ?? document.querySelector("sculpt-view");
  return found instanceof SculptView ? found : null;
}

function filters(): void {
  for (const list of all(".rules")) {
    const choices = [
      { state: "fails", label: "Violated" },
      { state: "warns", label: "Warn" },
      { state: "idle", label: "Select nothing" },
      { state: "holds", label: "Hold" },
    ];
    addFilters(list, all(":scope > .rule", list), choices, "rule");
  }
  for (const list of all("table.files")) {
    const choices = [
      { state: "unread", label: "Could not be read" },
      { state: "bad", label: "Not valid" },
      { state: "idle", label: "Nothing checked" },
      { state: "good", label: "Valid" },
    ];
    addFilters(list.parentElement ?? list, all("tbody > tr", list), choices, "file");
  }
}

/** Rules that are opened come into focus in the table; so do the names in legend and schema. */
function focus(): void {
  for (const rule of all<HTMLDetailsElement>("details.rule")) {
    const number = rule.querySelector<HTMLElement>("summary .chip")?.dataset.focus;
    if (number === undefined) continue;
    rule.addEventListener("toggle", () => {
      if (isPrinting) return;
      const view = viewOf(rule);
      const name = view?.source?.regions[Number(number)]?.name ?? null;
      if (view === null || name === null) return;
      if (rule.open) view.focusRegion = name;
      else if (view.focusRegion === name) view.focusRegion = null;
    });
  }
  const buttons: { button: HTMLButtonElement; view: SculptView; name: string }[] = [];
  for (const chip of all(".legend .chip, .schema .chip")) {
    const view = viewOf(chip);
    const name = view?.source?.regions[Number(chip.dataset.focus)]?.name;
    if (!view || name === undefined || chip.dataset.focus === undefined) continue;
    const button = element("button", {
      type: "button",
      class: chip.className,
      "aria-pressed": "false",
      title: "Show this region in the table",
    });
    button.append(...chip.childNodes);
    button.addEventListener("click", () => {
      view.focusRegion = view.focusRegion === name ? null : name;
      if (view.focusRegion !== null && chip.closest(".schema")) {
        view.scrollIntoView({ block: "nearest" });
      }
    });
    chip.replaceWith(button);
    buttons.push({ button, view, name });
  }
  for (const view of all("sculpt-view")) {
    view.addEventListener("sculpt-focus", () => {
      for (const each of buttons) {
        if (each.view !== view) continue;
        each.button.setAttribute("aria-pressed", String(each.view.focusRegion === each.name));
      }
    });
  }
}

function jumps(): void {
  for (const link of all<HTMLAnchorElement>("a[data-row]")) {
    link.addEventListener("click", (event) => {
      const view = viewOf(link);
      if (view === null) return;
      event.preventDefault();
      view.scrollIntoView({ block: "nearest" });
      const column = link.dataset.column;
      void view.showPlace(Number(link.dataset.row), column ? Number(column) : undefined);
    });
  }
  const reveal = (): void => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let each: Element | null = target; each !== null; each = each.parentElement) {
      if (each instanceof HTMLDetailsElement) each.open = true;
    }
    target?.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash.length > 1) reveal();
  for (const link of all<HTMLAnchorElement>('a[href^="#"]:not([data-row])')) {
    link.addEventListener("click", () => {
      if (link.hash === location.hash) reveal();
    });
  }
}

/** In the table around a place, Enter on the cell leads to why. */
function places(): void {
  for (const cell of all(".place td[tabindex], .place th[tabindex]")) {
    const open = (): void => {
      const why = cell.closest(".place")?.querySelector<HTMLDetailsElement>(".why");
      if (!why) return;
      why.open = true;
      why.querySelector("summary")?.focus();
    };
    cell.addEventListener("click", open);
    cell.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        open();
      }
    });
  }
}

function files(): void {
  const block = document.getElementById("violations")?.textContent;
  if (!block) return;
  const data = JSON.parse(block) as CsvData;
  for (const button of all<HTMLButtonElement>("button[data-csv]")) {
    const name = button.dataset.csv ?? "";
    button.hidden = false;
    button.addEventListener("click", () => {
      const made = csvFile(data, name);
      if (made !== null) save(made, `${name.replace(/^f\d+-/, "")}-violations.csv`);
    });
  }
}

function printing(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    isPrinting = true;
    opened = all<HTMLDetailsElement>("details:not([open]):not(.why)");
    for (const each of opened) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
    setTimeout(() => (isPrinting = false), 100); // after the events of all that was closed
  });
}

filters();
focus();
jumps();
places();
files();
printing();
document.documentElement.dataset.script = "ready";
