// What helps readers on every page: languages as tabs, buttons that copy code, and a choice of release. The language and
// the release are remembered where the browser allows it. Without this script, everything is on the page, with its history.
"use strict";

(() => {
  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  // --- what is remembered ----------------------------------------------------------------------------------------

  // A browser that stores nothing may refuse even to be asked.
  const remembered = (key) => {
    try {
      return localStorage.getItem(`polywire-${key}`);
    } catch {
      return null;
    }
  };

  const remember = (key, value) => {
    try {
      localStorage.setItem(`polywire-${key}`, value);
    } catch {
      // It is chosen again on the next page.
    }
  };

  // --- what is spoken --------------------------------------------------------------------------------------------

  const spoken = element("div", { className: "spoken", role: "status" });
  document.querySelector("main").append(spoken);

  const say = (text) => {
    spoken.textContent = "";
    requestAnimationFrame(() => (spoken.textContent = text));
  };

  // --- tabs of languages -----------------------------------------------------------------------------------------

  const groups = [];

  const select = (language) => {
    for (const tabs of groups) {
      const chosen = tabs.find((each) => each.language === language) ?? tabs[0];
      for (const each of tabs) {
        const isChosen = each === chosen;
        each.tab.ariaSelected = String(isChosen);
        each.tab.tabIndex = isChosen ? 0 : -1;
        each.panel.hidden = !isChosen;
      }
    }
  };

  const choose = ({ language, tab }) => {
    select(language);
    remember("language", language);
    tab.focus();
  };

  const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

  const moved = (tabs, at, key) => {
    const to = at + STEPS[key];
    return Number.isFinite(to) ? tabs.at(to % tabs.length) : tabs.at(key === "Home" ? 0 : -1);
  };

  const tabbed = (group, number) => {
    const tabs = [...group.querySelectorAll("details")].map((details, at) => {
      const summary = details.querySelector("summary");
      const language = summary.firstChild.data.replace(/:\s*$/, "");
      const id = `language-${number}-${at}`;
      const title = element("p", { className: "soft" }, ...summary.childNodes);
      summary.remove();
      const panel = element("div", { id, role: "tabpanel", tabIndex: 0 }, title, ...details.childNodes);
      const tab = element("button", { type: "button", role: "tab", id: `${id}-tab`, textContent: language });
      tab.setAttribute("aria-controls", id);
      panel.setAttribute("aria-labelledby", tab.id);
      return { language, tab, panel };
    });
    const list = element("div", { role: "tablist", ariaLabel: "Language" }, ...tabs.map(({ tab }) => tab));
    for (const [at, each] of tabs.entries()) {
      each.tab.addEventListener("click", () => choose(each));
      each.tab.addEventListener("keydown", (event) => {
        if (!Object.hasOwn(STEPS, event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        choose(moved(tabs, at, event.key));
      });
    }
    group.replaceChildren(list, ...tabs.map(({ panel }) => panel));
    groups.push(tabs);
  };

  document.querySelectorAll(".languages").forEach(tabbed);
  select(remembered("language"));

  // --- buttons that copy -----------------------------------------------------------------------------------------

  // A page of a server without encryption has no clipboard, but may copy what is selected.
  const copySelected = (code) => {
    getSelection().selectAllChildren(code);
    const isDone = document.execCommand("copy");
    if (isDone) getSelection().removeAllRanges();
    return isDone;
  };

  const copy = async (code) => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      return copySelected(code);
    }
  };

  const copying = (pre) => {
    const button = element("button", { type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      const isDone = await copy(pre.firstElementChild);
      button.textContent = isDone ? "Copied" : "Copy";
      say(isDone ? "Copied" : "Not copied; the code is selected");
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    const block = element("div", { className: "block" });
    pre.replaceWith(block);
    block.append(pre, button);
  };

  document.querySelectorAll("main pre").forEach(copying);

  // --- the choice of a release -----------------------------------------------------------------------------------

  const ALL = "";

  // A release that the pages do not have bounds nothing.
  const isIn = (release, { since, until }) => {
    const at = RELEASES.indexOf(release);
    const [first, last] = [RELEASES.indexOf(since), RELEASES.indexOf(until)];
    return at < 0 || (at >= first && (last < 0 || at <= last));
  };

  const title = document.querySelector("h1");
  const absent = element("p", { className: "absent", hidden: true });

  const show = (release) => {
    for (const each of document.querySelectorAll("[data-since], [data-until]"))
      if (each !== title) each.hidden = !isIn(release, each.dataset) && !each.matches(":target");
    absent.hidden = isIn(release, title.dataset);
    absent.textContent = absent.hidden ? "" : `Release ${release} does not have this.`;
  };

  const offer = () => {
    const names = [...RELEASES].reverse().map((name) => element("option", { value: name, textContent: name }));
    const field = element("select", {}, element("option", { value: ALL, textContent: "all" }), ...names);
    const kept = remembered("release");
    field.value = RELEASES.includes(kept) ? kept : ALL;
    field.addEventListener("change", () => {
      remember("release", field.value);
      show(field.value);
      say(field.value ? `Only release ${field.value} is shown` : "All releases are shown");
    });
    title.after(absent);
    document.querySelector("header").append(element("label", { className: "release" }, "Release", field));
    addEventListener("hashchange", () => {
      show(field.value);
      document.querySelector(":target")?.scrollIntoView();
    });
    show(field.value);
  };

  if (RELEASES.length > 1) offer();
})();
