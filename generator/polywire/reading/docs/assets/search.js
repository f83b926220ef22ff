// INDEX, the rows of index.js → a search field at the top of the page. Text is only ever set as text.
"use strict";

(() => {
  const MOST = 60;
  const root = document.body.dataset.root;

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  const count = element("output", { ariaLive: "polite" });
  const found = element("ul", { id: "found", hidden: true });
  const input = element("input", {
    type: "search",
    id: "search",
    ariaLabel: "Search names and members",
    placeholder: "Search ( / )",
    autocomplete: "off",
    spellcheck: false,
  });

  // --- what can be found ---------------------------------------------------------------------------------------

  let entries = null;

  // Of a row: the declaration, control or tool itself, and each of its members with the anchor that it has.
  const unfold = ([kind, name, page, brief, members]) => {
    const own = { name, label: name, about: kind ? `${kind}. ${brief}` : brief, page, of: "" };
    const parts = members.map((member) => {
      const [key, anchor] = typeof member === "string" ? [member, `m-${member}`] : member;
      return { name: key, label: key, about: `in ${name}`, page: `${page}#${anchor}`, of: name };
    });
    return [own, ...parts];
  };

  const all = () => {
    entries ??= INDEX.flatMap(unfold).map((entry) => ({ ...entry, low: entry.name.toLowerCase() }));
    return entries;
  };

  // The lower the better; names before what is said of them, whole names before parts of them.
  const rank = (entry, words) => {
    let total = entry.of ? 1 : 0;
    for (const word of words) {
      if (entry.low === word) continue;
      if (entry.low.startsWith(word)) total += 2;
      else if (entry.low.includes(word)) total += 4;
      else if (entry.of.toLowerCase().includes(word)) total += 8;
      else if (!entry.of && entry.about.toLowerCase().includes(word)) total += 16;
      else return -1;
    }
    return words.includes(entry.low) ? total : total + 2;
  };

  const search = (text) => {
    const words = text
      .toLowerCase()
      .split(/[\s.]+/)
      .filter(Boolean);
    if (words.length === 0) return [];
    const ranked = all().map((entry) => [rank(entry, words), entry]);
    return ranked
      .filter(([value]) => value >= 0)
      .sort(([a, left], [b, right]) => a - b || left.name.length - right.name.length)
      .map(([, entry]) => entry);
  };

  // --- what is shown -------------------------------------------------------------------------------------------

  const item = ({ label, about, page }) =>
    element(
      "li",
      {},
      element(
        "a",
        { href: root + page },
        element("b", { textContent: label }),
        element("small", { textContent: about }),
      ),
    );

  const show = () => {
    const results = search(input.value);
    found.replaceChildren(...results.slice(0, MOST).map(item));
    found.hidden = results.length === 0;
    const shown = results.length > MOST ? `${MOST} of ${results.length} found` : `${results.length} found`;
    count.textContent = input.value.trim() ? shown : "";
  };

  const clear = () => {
    input.value = "";
    show();
    input.focus();
  };

  // --- keys ----------------------------------------------------------------------------------------------------

  const links = () => [...found.querySelectorAll("a")];

  const move = (step) => {
    const ways = [input, ...links()];
    const at = ways.indexOf(document.activeElement);
    ways[Math.max(0, Math.min(ways.length - 1, at + step))].focus();
  };

  const KEYS = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: clear,
    Enter: () => links()[0]?.click(),
  };

  const box = element("search", {}, input, count, found);

  box.addEventListener("keydown", (event) => {
    const isLink = event.target !== input;
    if (event.isComposing || !Object.hasOwn(KEYS, event.key) || (isLink && event.key === "Enter")) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === input || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });

  found.addEventListener("click", () => {
    found.hidden = true;
  });

  input.addEventListener("input", show);
  input.setAttribute("aria-controls", found.id);
  document.querySelector("header").append(box);
})();
