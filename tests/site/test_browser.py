"""The reference in a real browser, opened from disk: reading without scripts, search, and screens of any size."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from browsing import CONTRASTS, FLAGS, HANGS, INTRUDE, LEGIBLE
from parsed_pages import Site

with contextlib.suppress(ModuleNotFoundError):  # `make test` collects this module without installing its requirements
    from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

pytestmark = pytest.mark.full  # needs a browser

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 800}
"""Window sizes in pixels."""


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folder(whole: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the reference, written to a folder."""
    folder = tmp_path_factory.mktemp("reference")
    for path, data in whole.files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def struct(whole: Site) -> str:
    """Return the name of the struct with the most fields, which has the longest page."""
    return max(whole.model.structs, key=lambda each: len(each.fields)).name


@contextlib.contextmanager
def opened(browser: Browser, folder: Path, path: str = "index.html", **context: Any) -> Iterator[Page]:
    """Open a page, and assert after the block that it logged nothing, and requested only files of the reference."""
    own = browser.new_context(**{"viewport": DESK, **context})
    own.set_default_timeout(HANGS)
    page = own.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto((folder / path).as_uri())
    yield page
    assert said == []
    assert [url for url in asked if not url.startswith(folder.as_uri())] == []
    own.close()


def test_a_page_can_be_read_and_followed_without_scripts(browser: Browser, folder: Path, whole: Site) -> None:
    name = struct(whole)
    with opened(browser, folder, java_script_enabled=False) as page:
        page.get_by_role("link", name="Names", exact=True).click()
        page.get_by_role("rowheader", name=name, exact=True).get_by_role("link").click()
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
        rows = page.locator("#members + table tbody > tr")
        assert rows.count() == len([each for each in whole.pages[f"types/{name}.html"].ids if each.startswith("m-")])
        page.get_by_text("Python: ").click()
        expect(page.locator("details[open] pre")).to_be_visible()
        assert page.locator("input, search").count() == 0
        page.locator("main a[href^='../areas/']").click()
        expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()


def test_the_search_finds_a_field_and_leads_to_it_by_keys_alone(browser: Browser, folder: Path, whole: Site) -> None:
    name = struct(whole)
    field = whole.model.struct(name).fields[-1].name
    with opened(browser, folder) as page:
        page.keyboard.press("/")
        page.keyboard.type(f"{name}.{field}")
        first = page.locator("#found a").first
        expect(first).to_have_text(f"{field}in {name}")
        page.keyboard.press("ArrowDown")
        expect(first).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(page.get_by_role("searchbox")).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url("**/types/*#m-*")
        target = page.locator(":target")
        expect(target.locator("th a")).to_have_text(field)
        expect(target).to_be_in_viewport()


def test_the_search_finds_types_before_members_and_words_of_docs_last(
    browser: Browser, folder: Path, whole: Site
) -> None:
    union = max(whole.model.unions, key=lambda each: len(each.variants)).name
    with opened(browser, folder, f"types/{struct(whole)}.html") as page:
        field = page.get_by_role("searchbox", name="Search names and members")
        field.fill(union.lower())
        expect(page.locator("#found a b").first).to_have_text(union)
        field.fill("nothing has such a name")
        expect(page.locator("output")).to_have_text("0 found")
        expect(page.locator("#found")).to_be_hidden()
        field.fill("e")
        assert page.locator("#found li").count() == 60
        expect(page.locator("output")).to_contain_text("60 of ")
        field.press("Escape")
        expect(page.locator("output")).to_have_text("")
        field.fill(whole.model.controls[0].key)
        page.locator("#found a", has_text="control").first.click()
        page.wait_for_url("**/controls.html#c-*")


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_no_page_is_wider_than_its_window(browser: Browser, folder: Path, whole: Site, size: dict[str, int]) -> None:
    longest = sorted(whole.pages, key=lambda path: len(whole.files[path]))[-25:]
    widest = sorted(whole.pages, key=lambda path: max(map(len, whole.pages[path].text.split())))[-25:]
    with opened(browser, folder, viewport=size) as page:
        for path in {"index.html", "controls.html", "tools.html", "names.html", *longest, *widest}:
            page.goto((folder / path).as_uri())
            page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_is_legible_in_both_colour_schemes(browser: Browser, folder: Path, whole: Site, scheme: str) -> None:
    with opened(browser, folder, f"types/{struct(whole)}.html", color_scheme=scheme) as page:
        page.get_by_role("searchbox").fill("id")
        page.locator("details").first.click()
        assert [found for found in page.evaluate(CONTRASTS) if found["contrast"] < LEGIBLE] == []
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, paper.removeprefix("rgb(").rstrip(")").split(","))) > 382) == (scheme == "light")


def test_a_page_has_landmarks_and_headings_in_order(browser: Browser, folder: Path, whole: Site) -> None:
    with opened(browser, folder, f"types/{struct(whole)}.html") as page:
        for role in ("main", "navigation", "search", "banner"):
            expect(page.get_by_role(role)).to_have_count(1)
        levels = [int(each[1]) for each in page.evaluate(HEADINGS)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="To the content")).to_be_in_viewport()


HEADINGS = "[...document.querySelectorAll('h1,h2,h3,h4')].map((each) => each.tagName)"


def test_what_is_folded_is_printed_and_what_is_for_the_screen_is_not(
    browser: Browser, folder: Path, whole: Site
) -> None:
    with opened(browser, folder, f"types/{struct(whole)}.html") as page:
        page.emulate_media(media="print")
        expect(page.get_by_role("banner")).to_be_hidden()
        assert page.locator("details pre").first.evaluate("(each) => each.getBoundingClientRect().height") > 0


def test_the_policy_stops_what_would_run_or_reach_out(browser: Browser, folder: Path) -> None:
    own = browser.new_context()
    page = own.new_page()
    page.goto((folder / "index.html").as_uri())
    title = page.title()
    refused = page.evaluate(INTRUDE, "http://127.0.0.1:9/")
    assert refused == ["connect-src", "frame-src", "img-src", "require-trusted-types-for", "style-src-elem"]
    assert page.title() == title
    with pytest.raises(Error, match="TrustedHTML"):
        page.evaluate("document.body.innerHTML = '<b>'")
    own.close()
