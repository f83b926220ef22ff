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

  // --- typing errors -------------------------------------------------------------------------------------------

  const allowed = (word) => (word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0);

  // The least number of letters to insert, remove, change or swap with the next so that the word begins the text; Infinity
  // if that is more than `most`. Of a long text, only as much is read as could matter.
  const distance = (word, text, most) => {
    const width = Math.min(text.length, word.length + most);
    let before = [];
    let above = Array.from({ length: width + 1 }, (_, at) => at);
    for (let row = 1; row <= word.length; row++) {
      const line = [row];
      let least = row;
      for (let at = 1; at <= width; at++) {
        const isSame = word[row - 1] === text[at - 1];
        let cost = Math.min(above[at] + 1, line[at - 1] + 1, above[at - 1] + (isSame ? 0 : 1));
        const isSwapped = row > 1 && at > 1 && word[row - 1] === text[at - 2] && word[row - 2] === text[at - 1];
        if (isSwapped) cost = Math.min(cost, before[at - 2] + 1);
        line.push(cost);
        least = Math.min(least, cost);
      }
      if (least > most) return Infinity;
      [before, above] = [above, line];
    }
    const found = Math.min(...above);
    return found <= most ? found : Infinity;
  };

  // A name can be found by each word in it: `OrderPlaced` by `order` and by `placed`.
  const beginnings = (name) => {
    const starts = name.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z]+/g);
    return [...starts].map(({ index }) => name.slice(index).toLowerCase());
  };

  // Many members have the same name, so that each name is compared once.
  const nearest = (word) => {
    const most = allowed(word);
    const known = new Map();
    return (name) => {
      if (!known.has(name)) {
        const each = most === 0 ? [] : beginnings(name).map((text) => distance(word, text, most));
        known.set(name, Math.min(Infinity, ...each));
      }
      return known.get(name);
    };
  };

  const NONE = () => Infinity;

  // The lower the better; names before what is said of them, whole names before parts of them, similar ones last. `near`
  // has a function for each word, from a name to the number of typing errors.
  const rank = (entry, words, near) => {
    let total = entry.of ? 1 : 0;
    for (const [at, word] of words.entries()) {
      if (entry.low === word) continue;
      if (entry.low.startsWith(word)) total += 2;
      else if (entry.low.includes(word)) total += 4;
      else if (entry.of.toLowerCase().includes(word)) total += 8;
      else if (!entry.of && entry.about.toLowerCase().includes(word)) total += 16;
      else {
        const [own, whole] = [near[at](entry.name), near[at](entry.of)];
        if (own === Infinity && whole === Infinity) return -1;
        total += own <= whole ? 32 * own : 8 + 32 * whole;
      }
    }
    return words.includes(entry.low) ? total : total + 2;
  };

  const ranked = (words, near) =>
    all()
      .map((entry) => [rank(entry, words, near), entry])
      .filter(([value]) => value >= 0)
      .sort(([a, left], [b, right]) => a - b || left.name.length - right.name.length)
      .map(([, entry]) => entry);

  // The entries found, and whether they are only similar to what was typed, because nothing is the same.
  const search = (text) => {
    const words = text
      .toLowerCase()
      .split(/[\s.]+/)
      .filter(Boolean);
    if (words.length === 0) return [[], false];
    const exact = ranked(
      words,
      words.map(() => NONE),
    );
    return exact.length > 0 ? [exact, false] : [ranked(words, words.map(nearest)), true];
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
    const [results, isSimilar] = search(input.value);
    found.replaceChildren(...results.slice(0, MOST).map(item));
    found.hidden = results.length === 0;
    const number = results.length > MOST ? `${MOST} of ${results.length}` : results.length;
    const shown = isSimilar && results.length > 0 ? `${number} similar` : `${number} found`;
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
