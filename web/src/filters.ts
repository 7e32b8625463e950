/** Search and filters: a bar above a list, whose items say their state in `data-state`. */

import { element, grouped } from "./markup";

export interface Choice {
  readonly state: string;
  readonly label: string;
}

/** Put a bar before a list; nothing if there are too few items to choose from. */
export function addFilters(
  list: Element,
  items: readonly HTMLElement[],
  choices: readonly Choice[],
  noun: string,
): void {
  if (items.length < 2) return;
  const search = element("input", { type: "search", "aria-label": `Search the ${noun}s` });
  search.placeholder = `Search ${noun}s, texts, places`;
  const status = element("span", { class: "status", role: "status" });
  let chosen = "";

  const texts = new Map(items.map((item) => [item, (item.textContent ?? "").toLowerCase()]));
  const apply = (): void => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      const text = texts.get(item) ?? "";
      const fits =
        (chosen === "" || item.dataset.state === chosen) &&
        words.every((word) => text.includes(word));
      item.hidden = !fits;
      if (fits) shown += 1;
    }
    const all = shown === items.length;
    status.textContent = all
      ? ""
      : `${grouped(shown)} of ${grouped(items.length)} ${noun}s shown`;
  };

  const buttons = [{ state: "", label: "All" }, ...choices]
    .map(({ state, label }) => {
      const count = items.filter((item) => state === "" || item.dataset.state === state).length;
      return { state, label: `${label} (${grouped(count)})`, count };
    })
    .filter(({ count }) => count > 0)
    .map(({ state, label }) => {
      const made = element("button", { type: "button", "aria-pressed": String(state === "") }, label);
      made.addEventListener("click", () => {
        chosen = state;
        for (const each of buttons) each.setAttribute("aria-pressed", String(each === made));
        apply();
      });
      return made;
    });
  search.addEventListener("input", apply);
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    search.value = "";
    apply();
  });
  const group = element("fieldset", {}, element("legend", {}, "Show"), ...buttons);
  list.before(element("div", { class: "tools" }, search, group, status));
}
