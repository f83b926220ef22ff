// The data of the page → what failed, shown when it is asked for; filters; keys. Text is only ever set as text.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const matrix = document.getElementById("matrix");
  const filter = document.getElementById("filter");
  const only = document.getElementById("only");
  const columns = [...document.querySelectorAll("[data-column]")];
  const groups = [...matrix.tBodies];
  const rules = [...matrix.querySelectorAll("tr.rule")];
  const folded = new Set(groups.filter((group) => group.classList.contains("folded")));

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  // --- what failed ---------------------------------------------------------------------------------------------

  const MARKS = {
    "-": ["expected", "−", "expected"],
    "+": ["got", "+", "got"],
    "·": ["aside", "", ""],
    " ": ["", "", ""],
  };

  const line = ([mark, depth, text]) => {
    const [kind, sign, word] = MARKS[mark];
    const code = element("span", { textContent: "  ".repeat(depth) + text });
    return element("div", { className: kind }, element("span", { textContent: sign, title: word }), code);
  };

  const members = (title, pairs) => {
    const rows = pairs.flatMap(([key, value]) => [
      element("dt", { textContent: key }),
      element("dd", { textContent: value }),
    ]);
    return element(
      "div",
      { className: title },
      element("h5", { textContent: title }),
      element("dl", { className: "lines" }, ...rows),
    );
  };

  const article = (failure) => {
    const shownCase = data.cases[failure.case];
    const shown = element("article", {}, element("h4", { textContent: shownCase.name }));
    shown.append(element("p", { className: "soft", textContent: `${shownCase.type}, ${shownCase.mode}` }));
    if (shownCase.doc) shown.append(element("p", { textContent: shownCase.doc }));
    const problems = failure.problems.map((textContent) => element("li", { textContent }));
    shown.append(element("ul", { className: "problems" }, ...problems));
    if (failure.difference.length > 0) {
      shown.append(element("h5", { textContent: "difference: − expected, + got" }));
      shown.append(element("div", { className: "lines difference" }, ...failure.difference.map(line)));
    }
    shown.append(
      element("h5", { textContent: "input" }),
      element("pre", { className: "input", textContent: shownCase.input }),
      element("div", { className: "pair" }, members("expected", failure.expected), members("got", failure.got)),
    );
    return shown;
  };

  const detail = (button) => {
    const row = button.closest("tr");
    const { list, more } = data.failures[button.id];
    const name = `${data.testees[button.parentElement.dataset.testee]}: ${row.cells[0].textContent}`;
    const box = element(
      "div",
      { className: "failures", role: "region", ariaLabel: name },
      element("h3", { textContent: name }),
    );
    box.append(...list.map(article));
    if (more > 0) {
      const words = `… and ${more.toLocaleString("en")} more of this kind; the file of --json has them all`;
      box.append(element("p", { className: "soft", textContent: words }));
    }
    const cell = element("td", { colSpan: 2 + data.testees.length }, box);
    return element("tr", { className: "detail", id: `${button.id}-detail` }, cell);
  };

  const close = (button) => {
    document.getElementById(`${button.id}-detail`)?.remove();
    button.setAttribute("aria-expanded", "false");
    button.removeAttribute("aria-controls");
  };

  const open = (button) => {
    const row = button.closest("tr");
    for (const other of row.querySelectorAll("button[aria-expanded=true]")) close(other);
    row.after(detail(button));
    for (const box of row.nextElementSibling.querySelectorAll("pre, .lines"))
      if (box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    button.setAttribute("aria-expanded", "true");
    button.setAttribute("aria-controls", `${button.id}-detail`);
  };

  const opened = (button) => button.getAttribute("aria-expanded") === "true";

  matrix.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    if (button.className === "fold") fold(button.closest("tbody"), opened(button));
    else if (opened(button)) close(button);
    else {
      open(button);
      history.replaceState(null, "", `#${button.id}`);
    }
  });

  // --- folding and filters -------------------------------------------------------------------------------------

  const fold = (group, away) => {
    group.classList.toggle("folded", away);
    group.querySelector(".fold").setAttribute("aria-expanded", String(!away));
    folded[away ? "add" : "delete"](group);
  };

  const words = new Map(
    rules.map((rule) => {
      const failures = [...rule.querySelectorAll("td button")].flatMap(({ id }) => data.failures[id].list);
      const lines = failures.flatMap((failure) => {
        const { name, type, mode } = data.cases[failure.case];
        return [name, type, mode, ...failure.problems];
      });
      const own = [rule.closest("tbody").dataset.name, rule.cells[0].textContent, rule.cells[0].title];
      return [rule, [...own, ...lines].join("\n").toLowerCase()];
    }),
  );

  const failing = (row) => [...row.querySelectorAll("td.failed")].some((cell) => !cell.hidden);

  const apply = () => {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const group of groups) {
      let left = 0;
      for (const rule of group.querySelectorAll("tr.rule")) {
        const text = words.get(rule);
        rule.hidden = !wanted.every((word) => text.includes(word)) || (only.checked && !failing(rule));
        for (let next = rule.nextElementSibling; next?.className === "detail"; next = next.nextElementSibling)
          next.hidden = rule.hidden;
        left += Number(!rule.hidden);
      }
      group.hidden = left === 0;
      const away = folded.has(group) && wanted.length === 0;
      group.classList.toggle("folded", away);
      group.querySelector(".fold").setAttribute("aria-expanded", String(!away));
      shown += left;
    }
    const all = shown === rules.length && wanted.length === 0;
    document.getElementById("shown").textContent = all ? "" : `${shown} of ${rules.length} rules`;
  };

  const choose = ({ target }) => {
    const own = document.querySelectorAll(`#matrix [data-testee="${target.dataset.column}"]`);
    for (const cell of own) {
      cell.hidden = !target.checked;
      if (!target.checked) for (const button of cell.querySelectorAll("button[aria-expanded=true]")) close(button);
    }
    apply();
  };

  filter.addEventListener("input", apply);
  only.addEventListener("change", apply);
  for (const column of columns) column.addEventListener("change", choose);

  const unfold = document.getElementById("unfold");
  unfold.addEventListener("click", () => {
    const away = folded.size === 0;
    for (const group of groups) fold(group, away);
    unfold.textContent = away ? "Unfold all" : "Fold all";
  });

  // --- colours -------------------------------------------------------------------------------------------------

  const theme = document.getElementById("theme");
  const THEMES = { "": ["light", "◐", "as the system"], light: ["dark", "☀", "light"], dark: ["", "☾", "dark"] };

  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const [next] = THEMES[root.dataset.theme ?? ""];
    if (next) root.dataset.theme = next;
    else delete root.dataset.theme;
    const [, sign, name] = THEMES[next];
    theme.textContent = sign;
    theme.ariaLabel = `Colours: ${name}`;
  });

  // --- keys ----------------------------------------------------------------------------------------------------

  const go = (step) => {
    const buttons = [...matrix.querySelectorAll("tr.rule td button")].filter((button) => button.checkVisibility());
    if (buttons.length === 0) return;
    const at = buttons.indexOf(document.activeElement);
    const next = at < 0 && step < 0 ? -1 : at + step;
    const button = buttons.at(next % buttons.length);
    button.focus();
    button.scrollIntoView({ block: "nearest", inline: "nearest" });
  };

  const escape = () => {
    if (document.activeElement === filter) {
      filter.value = "";
      apply();
      return;
    }
    const inside = document.activeElement.closest("tr.detail");
    const button = inside ? document.getElementById(inside.id.replace(/-detail$/, "")) : document.activeElement;
    if (button.matches("td button") && opened(button)) {
      close(button);
      button.focus();
    }
  };

  const KEYS = { n: () => go(1), p: () => go(-1), "/": () => filter.focus(), Escape: escape };

  document.addEventListener("keydown", (event) => {
    const typing = document.activeElement === filter && event.key !== "Escape";
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  // --- paper: what failed is printed with it, so far as anybody would read it ----------------------------------

  const ON_PAPER = 50;
  let forPaper = [];

  window.addEventListener("beforeprint", () => {
    const closed = [...matrix.querySelectorAll("tr.rule:not([hidden]) td:not([hidden]) button[aria-expanded=false]")];
    forPaper = closed
      .filter((button) => !button.closest("tr").querySelector("[aria-expanded=true]"))
      .slice(0, ON_PAPER);
    forPaper.forEach(open);
  });
  window.addEventListener("afterprint", () => forPaper.splice(0).forEach(close));

  // --- at the start --------------------------------------------------------------------------------------------

  document.querySelector(".bar").hidden = false;
  const asked = document.getElementById(location.hash.slice(1));
  if (asked?.matches("td button")) {
    open(asked);
    asked.focus();
    asked.scrollIntoView({ block: "center" });
  }
})();
