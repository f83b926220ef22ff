"""The HTML report of a run in a real browser: its rendering, its controls, and its safety.

The tests drive the machine's Chromium with Playwright. It waits for elements before it checks them, sends real key
presses and clicks, and its wheel has no further requirements, so these tests run with all others.
"""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import CONTRASTS, DESK, FLAGS, HANGS, INTRUDE, LEGIBLE, PHONE, violations
from conformance.runs import PROTOCOLS, cases, result, run
from polywire.conformance.coverage import measured
from polywire.conformance.judge import NOT_APPLICABLE, Abilities
from polywire.conformance.page import write
from polywire.conformance.process import Trouble
from polywire.conformance.runner import Result
from sampling import third

with contextlib.suppress(ModuleNotFoundError):  # `make test` collects this module without installing its requirements
    from playwright.sync_api import Browser, Error, Locator, Page, expect, sync_playwright

pytestmark = third("reports in a browser")  # needs a browser

HOSTILE = "</script><img src=x onerror=alert(1)><script>alert(2)</script>\u202e\x00\u2028"
NAMED = {"doc": "A name is text.", "type": "Named", "input": {"name": "a"}, "expect": {"variant": "Named"}}
WRONG = {"id": 1, "ok": True, "variant": "Named", "json": '{"name":"b","nickname":null}', "unknown": []}
DIED = Trouble("the testee died at this request")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with all kinds of failures: two testees that fail differently, one that agrees, one that cannot run."""
    folder = tmp_path_factory.mktemp("page")
    files = {
        "names": {"long": NAMED, "plain": NAMED, "short": [NAMED, NAMED]},
        "other": {"hostile": NAMED | {"input": {"name": HOSTILE}, "doc": HOSTILE}, "sound": NAMED},
        **{f"group-{number}": {f"rule-{n}": NAMED for n in range(5)} for number in range(12)},
    }
    found = cases(folder / "fixtures", files)
    at = {case.name: number for number, case in enumerate(found)}
    hostile = {**WRONG, "variant": HOSTILE, "json": json.dumps({HOSTILE: HOSTILE})}
    results = [
        result(found, Abilities("right", "ruby", "3.1"), {}),
        result(found, Abilities("wrong", "go", "1.24"), {at["names/long"]: WRONG, at["other/hostile"]: hostile}),
        result(found, Abilities(HOSTILE, HOSTILE, HOSTILE), {at["names/long"]: WRONG, at["names/short#1"]: DIED}),
        result(found, Abilities("schema", answers=frozenset({"ok"})), dict.fromkeys(range(3))),
        Result("absent", (NOT_APPLICABLE,) * len(found), cannot_run="no program ruby"),
    ]
    page = folder / "page.html"
    write(page, run(found, *results, coverage=measured(found)), PROTOCOLS.default)
    return page


class Watched:
    """A page in the browser, with its console messages, errors, dialogs and requests."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: (self.said.append(f"dialog {dialog.message}"), dialog.dismiss())[1])
        page.on("request", lambda request: self.asked.append(request.url))


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Page]:
    """The page in a desktop-sized window; fails after the test if there was a console message or a network request."""
    yield from opened(browser, file)


def opened(browser: Browser, file: Path, **context: Any) -> Iterator[Page]:
    own = browser.new_context(viewport={"width": 1280, "height": 800}, **context)
    own.set_default_timeout(HANGS)
    watched = Watched(own.new_page())
    watched.page.goto(file.as_uri())
    yield watched.page
    assert watched.said == []
    assert watched.asked == [file.as_uri()]
    own.close()


def button(page: Page, rule: str, testee: str) -> Locator:
    """Locate the button in the cell of a rule and a testee."""
    column = page.locator("#matrix thead th").all_text_contents().index(testee)
    return (
        page.locator("#matrix tr.rule", has=page.get_by_role("rowheader", name=rule))
        .locator("td")
        .nth(column - 1)
        .get_by_role("button")
    )


def rules(page: Page) -> list[str]:
    """List the visible rules."""
    return page.locator("#matrix tr.rule > th").locator("visible=true").all_text_contents()


def test_rows_are_rules_and_columns_are_testees(page: Page) -> None:
    headings = page.locator("#matrix thead th").all_text_contents()
    assert headings[:4] == ["rule", "cases", "right", "wrong"]
    assert headings[5:] == ["schema", "absent"]
    groups = page.locator("#matrix tr.group th").all_text_contents()
    assert groups == ["names", "other", *sorted(f"group-{number}" for number in range(12))]
    assert rules(page) == ["long", "short", "hostile"]
    first, _, third = (
        page.locator("#matrix tr.group").nth(number).locator("td").all_inner_texts() for number in range(3)
    )
    assert [text.strip() for text in third] == ["5", "5", "5", "5", "2−3", ""]
    assert [text.strip() for text in first] == ["4", "4", "1 failed", "2 failed", "4", ""]


def test_a_failure_opens_by_click_and_shows_input_expected_got_and_difference(page: Page) -> None:
    shown = button(page, "long", "wrong")
    shown.click()
    expect(shown).to_have_attribute("aria-expanded", "true")
    article = page.locator("tr.detail article")
    expect(article).to_have_count(1)
    assert article.locator("h4").inner_text() == "names/long"
    assert "A name is text." in article.inner_text()
    assert article.locator(".input").inner_text() == '{"name":"a"}'
    assert article.locator(".expected dd").all_inner_texts() == ["true", "Named", '{"name":"a"}', "[]"]
    assert article.locator(".got dd").all_inner_texts()[2] == '{"name":"b","nickname":null}'
    lines = article.locator(".difference > div")
    marked = [(line.get_attribute("class"), line.inner_text()) for line in lines.all() if line.get_attribute("class")]
    assert [(kind, text.split()) for kind, text in marked] == [
        ("expected", ["−", '"name":', '"a"']),
        ("got", ["+", '"name":', '"b"']),
        ("got", ["+", '"nickname":', "null"]),
    ]
    shown.click()
    expect(page.locator("tr.detail")).to_have_count(0)


def test_everything_can_be_done_with_keys_alone(page: Page) -> None:
    page.keyboard.press("n")
    first = button(page, "long", "wrong")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("tr.detail article .difference")).to_be_visible()
    for _ in range(3):
        page.keyboard.press("n")
    expect(button(page, "hostile", "wrong")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("tr.detail")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator("tr.detail")).to_have_count(1)
    for _ in range(3):
        page.keyboard.press("p")
    expect(first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("tr.detail")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("hostile")
    expect(page.locator("#shown")).to_have_text("1 of 65 rules")
    page.keyboard.press("Escape")
    expect(page.locator("#shown")).to_have_text("")


def test_the_tab_key_reaches_every_control(page: Page) -> None:
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
    ids = {element.get_attribute("id") for element in page.locator("#matrix td button").all()}
    assert {"skip", "filter", "only", "unfold", "theme", "fold", *ids} <= reached


def test_hostile_text_is_shown_and_does_nothing(page: Page) -> None:
    button(page, "hostile", "wrong").click()
    text = page.locator("tr.detail").inner_text()
    assert "</script><img src=x onerror=alert(1)><script>alert(2)</script>\\u202e\\u0000\\u2028" in text
    assert page.locator("img, iframe, object, svg script").count() == 0
    assert page.locator("script").count() == 2
    assert not {"\u202e", "\u2028"} & set(page.locator("body").inner_text())


def test_the_policy_of_the_page_stops_what_would_run_or_reach_out(browser: Browser, file: Path) -> None:
    own = browser.new_context()
    page = own.new_page()
    page.goto(file.as_uri())
    with socket.create_server(("127.0.0.1", 0)) as listening:
        refused = page.evaluate(INTRUDE, f"http://127.0.0.1:{listening.getsockname()[1]}/")
        assert refused == ["connect-src", "frame-src", "img-src", "require-trusted-types-for", "style-src-elem"]
        assert heard(listening) == b""
    assert page.title() == "✗ parcel: conformance"
    with pytest.raises(Error, match="TrustedHTML"):
        page.evaluate("document.body.innerHTML = '<b>'")
    own.close()


def heard(listening: socket.socket) -> bytes:
    """Return the bytes sent to the server; a browser may connect before the page's policy blocks the request."""
    told = b""
    with contextlib.suppress(BlockingIOError):
        while True:
            listening.setblocking(False)
            connection, _ = listening.accept()
            with connection, contextlib.suppress(BlockingIOError):
                connection.setblocking(False)
                told += connection.recv(1000)
    return told


def test_text_and_testees_filter_what_is_shown(page: Page) -> None:
    filter_ = page.get_by_role("searchbox", name="Filter")
    filter_.fill("group-3 rule-1")
    assert rules(page) == ["rule-1"]
    filter_.fill("nickname null")
    assert rules(page) == ["long"]
    filter_.fill("nothing like it")
    assert rules(page) == []
    filter_.fill("")
    page.get_by_label("failures only").check()
    expect(page.locator("#shown")).to_have_text("3 of 65 rules")
    page.get_by_role("checkbox", name="wrong").uncheck()
    assert rules(page) == ["long", "short"]
    expect(page.get_by_role("columnheader", name="wrong")).to_have_count(0)
    page.get_by_role("checkbox", name="wrong").check()
    assert rules(page) == ["long", "short", "hostile"]


def test_groups_unfold_one_by_one_and_all_at_once(page: Page) -> None:
    page.get_by_role("button", name="group-3", exact=True).click()
    assert rules(page) == ["long", "short", "hostile", *(f"rule-{number}" for number in range(5))]
    page.get_by_role("button", name="Unfold all").click()
    assert len(rules(page)) == 65
    page.get_by_role("button", name="Fold all").click()
    assert rules(page) == ["long", "short", "hostile"]


def test_headings_stay_in_sight_however_far_one_scrolls(browser: Browser, file: Path) -> None:
    for page in opened(browser, file, reduced_motion="reduce"):
        page.set_viewport_size({"width": 1000, "height": 500})
        page.get_by_role("button", name="Unfold all").click()
        page.locator("tr.rule").last.scroll_into_view_if_needed()
        heading = page.locator("#matrix thead th").nth(3).bounding_box()
        bar = page.locator(".bar").bounding_box()
        assert bar is not None
        assert heading is not None
        assert (bar["y"], round(heading["y"])) == (0, round(bar["height"]))
        page.set_viewport_size({"width": 420, "height": 500})
        table = page.locator("main")
        assert table.evaluate("(main) => { main.scrollLeft = main.scrollWidth; return main.scrollLeft }") > 0
        name, frame = page.locator("tr.rule > th").last.bounding_box(), table.bounding_box()
        assert name is not None
        assert frame is not None
        assert name["x"] == frame["x"]


def test_a_phone_shows_the_whole_page_and_no_column_of_single_letters(browser: Browser, file: Path) -> None:
    for page in opened(browser, file):
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        page.get_by_role("button", name="Unfold all").click()
        button(page, "long", "wrong").click()
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert page.evaluate("document.documentElement.scrollWidth") == 375
        assert page.evaluate(NARROW) == []


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_axe_finds_nothing(browser: Browser, file: Path, size: dict[str, int], scheme: str) -> None:
    for page in opened(browser, file, color_scheme=scheme):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert violations(page) == []
        button(page, "long", "wrong").click()
        page.get_by_role("button", name="group-3", exact=True).click()
        assert violations(page) == []


NARROW = """() => [...document.querySelectorAll("th, td, dd, li, p, h4")]
  .filter((each) => each.checkVisibility() && each.textContent.trim().length > 3)
  .filter((each) => each.getBoundingClientRect().width < 3 * parseFloat(getComputedStyle(each).fontSize))
  .map((each) => each.textContent)"""
"""The texts in boxes so narrow that only a few letters fit into a line."""


def test_a_failure_can_be_linked_to(browser: Browser, page: Page) -> None:
    button(page, "hostile", "wrong").click()
    address = page.evaluate("location.href")
    own = browser.new_page()
    own.goto(address)
    expect(own.locator("tr.detail article h4")).to_have_text("other/hostile")
    own.close()


def test_every_text_is_legible_in_both_colour_schemes(browser: Browser, file: Path, scheme: str) -> None:
    for page in opened(browser, file, color_scheme=scheme):
        button(page, "long", "wrong").click()
        page.get_by_role("button", name="group-3", exact=True).click()
        dim = [found for found in page.evaluate(CONTRASTS) if found["contrast"] < LEGIBLE]
        assert dim == []
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, paper.removeprefix("rgb(").rstrip(")").split(","))) > 382) == (scheme == "light")


def test_the_colour_scheme_can_be_chosen(page: Page) -> None:
    papers = []
    for _ in range(3):
        page.locator("#theme").click()
        papers.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert papers[0] != papers[1]
    assert papers[2] == papers[0]


def test_what_failed_is_printed_with_the_table(page: Page) -> None:
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("tr.detail article")).to_have_count(3)
    expect(page.locator(".bar")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator("tr.detail")).to_have_count(0)


def test_without_scripts_the_whole_table_is_there(browser: Browser, file: Path) -> None:
    own = browser.new_context(java_script_enabled=False)
    page = own.new_page()
    page.goto(file.as_uri())
    assert page.locator("#matrix tr.rule").locator("visible=true").count() == 65
    expect(page.locator("noscript p, .bar:visible")).to_have_count(1)
    own.close()


MANY = 5_000
"""The most elements that the page may have; it has eight times as many failures."""


def test_a_page_of_forty_thousand_failures_has_few_elements_and_filters(browser: Browser, tmp_path: Path) -> None:
    found = cases(tmp_path / "fixtures", {"group": {f"n{number}": [NAMED] * 100 for number in range(50)}})
    wrong = [result(found, Abilities(f"t{n}"), dict.fromkeys(range(len(found)), WRONG)) for n in range(8)]
    file = tmp_path / "page.html"
    write(file, run(found, *wrong), PROTOCOLS.default)
    for page in opened(browser, file):
        expect(page.get_by_text("40,000 disagreements in 8 testees of 8")).to_be_visible()
        button(page, "n7", "t3").click()
        expect(page.get_by_text("more of this kind")).to_be_visible()
        page.get_by_role("searchbox").fill("n49")
        assert rules(page) == ["n49"]
        assert page.locator("*").count() < MANY
