"""Scripts and limits for tests of pages in a browser."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from toolchain import NODE_PACKAGES

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE, DESK = {"width": 375, "height": 740}, {"width": 1280, "height": 800}
"""Window sizes in pixels."""

HANGS = 600_000
"""Timeout in milliseconds for a page to reach the expected state."""


FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-component-update", "--disable-sync"]
"""Flags that Chromium needs to run as root, or that stop it from contacting its vendor's hosts at every start."""

LEGIBLE = 4.5
"""The contrast that WCAG requires of text at level AA."""

CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parse = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
    if (own.length === 0 || !element.checkVisibility() || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    found.push({ text: own[0].data.trim().slice(0, 40), contrast });
  }
  if (found.length < 100) throw new Error("hardly any text: " + found.length);
  return found;
}"""

INTRUDE = """(address) => new Promise((resolve) => {
  const refused = new Set();
  document.addEventListener("securitypolicyviolation", (event) => {
    if (refused.add(event.effectiveDirective).size === 5) resolve([...refused].sort());
  });
  const add = (name, properties) => document.body.append(Object.assign(document.createElement(name), properties));
  add("img", { src: address });
  add("iframe", { src: address });
  add("link", { rel: "stylesheet", href: address });
  const script = document.createElement("script");
  script.append("document.title = 'run'");
  document.body.append(script);
  fetch(address).catch(() => {});
})"""
"""Attempts the attacks that hostile text could make if it became markup; returns the directives that blocked them,
once all five attempts failed.

The policy applies to a script that is added in this way as to any other.
"""


@cache
def axe() -> str:
    """Return the script of axe-core, which finds what keeps people from using a page."""
    file = NODE_PACKAGES / "node_modules" / "axe-core" / "axe.min.js"
    if not file.is_file():
        pytest.skip("axe-core is missing; `make .venv/node-all.stamp` fetches it")
    return file.read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """Return what axe-core finds on the page as it is shown; it may not load the styles again."""
    page.evaluate(f"{axe()};0")
    found: list[str] = page.evaluate(
        """async () => (await axe.run({ preload: false })).violations.flatMap(({ id, nodes }) =>
          nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))"""
    )
    return found
