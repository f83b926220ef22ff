"""The reference in a real browser, opened from disk: reading without scripts, search, and screens of any size."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from browsing import CONTRASTS, DESK, FLAGS, HANGS, INTRUDE, LEGIBLE, PHONE, violations
from parsed_pages import Site, spec_site
from sampling import sample, third

with contextlib.suppress(ModuleNotFoundError):  # `make test` collects this module without installing its requirements
    from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

pytestmark = third("documentation in a browser")  # needs a browser


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folder(whole: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the reference, written to a folder."""
    return written(whole, tmp_path_factory.mktemp("reference"))


def written(site: Site, folder: Path) -> Path:
    for path, data in site.files.items():
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
        for path in {"index.html", "messages.html", "controls.html", "tools.html", "names.html", *longest, *widest}:
            page.goto((folder / path).as_uri())
            page.evaluate("document.querySelectorAll('[role=tabpanel]').forEach((each) => (each.hidden = false))")
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_is_legible_in_both_colour_schemes(browser: Browser, folder: Path, whole: Site, scheme: str) -> None:
    with opened(browser, folder, f"types/{struct(whole)}.html", color_scheme=scheme) as page:
        page.get_by_role("searchbox").fill("id")
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
        panels = page.get_by_role("tabpanel", include_hidden=True)
        assert panels.count() > 1
        assert all(each.bounding_box() for each in panels.all())
        expect(page.get_by_role("button", name="Copy", include_hidden=True).first).to_be_hidden()


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


# --- help for readers ------------------------------------------------------------------------------------------

NO_STORAGE = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused') } })"
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"


def message(whole: Site) -> str:
    """Return the name of a message of all languages, whose page is of a usual size."""
    return next(each.name for each in whole.model.structs if each.section == "messages" and len(each.fields) > 5)


def selected(page: Page) -> list[str]:
    return page.get_by_role("tab", selected=True).all_inner_texts()


def test_a_language_is_chosen_by_keys_and_remembered_on_every_page(browser: Browser, folder: Path, whole: Site) -> None:
    with opened(browser, folder, f"types/{message(whole)}.html") as page:
        tabs = page.get_by_role("tab")
        names = tabs.all_inner_texts()
        assert {"Python", "TypeScript", "Go", "Rust"} <= set(names)
        assert selected(page) == names[:1]
        expect(page.get_by_role("tabpanel")).to_have_count(1)
        tabs.first.focus()
        page.keyboard.press("ArrowRight")
        assert selected(page) == names[1:2]
        page.keyboard.press("End")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        expect(tabs.last).to_be_focused()
        expect(page.get_by_role("tabpanel", name=names[-1])).to_contain_text(f"{names[-1]}: ")
        page.goto((folder / "index.html").as_uri())
        assert selected(page) == names[-1:]
        page.get_by_role("tab", name="Go").click()
        page.reload()
        assert selected(page) == ["Go"]


def test_a_browser_that_stores_nothing_shows_the_tabs_all_the_same(browser: Browser, folder: Path, whole: Site) -> None:
    with opened(browser, folder) as page:
        page.add_init_script(NO_STORAGE)
        page.goto((folder / f"types/{message(whole)}.html").as_uri())
        page.get_by_role("tab", name="Rust").click()
        assert selected(page) == ["Rust"]
        page.get_by_label("Release").select_option(whole.releases[0])
        expect(page.locator(".spoken[role=status]")).to_have_text(f"Only release {whole.releases[0]} is shown")


@pytest.mark.parametrize("script", ["", NO_CLIPBOARD], ids=["clipboard", "selection"])
def test_code_is_copied_by_keys_and_that_is_spoken(browser: Browser, folder: Path, whole: Site, script: str) -> None:
    with opened(browser, folder, permissions=["clipboard-read", "clipboard-write"]) as page:
        reader = page.context.new_page()
        reader.goto((folder / "index.html").as_uri())
        page.add_init_script(script)
        page.goto((folder / f"types/{message(whole)}.html").as_uri())
        assert page.locator("main pre").count() == page.locator("main pre + button").count()
        page.bring_to_front()
        page.locator("#examples ~ .block button").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".spoken[role=status]")).to_have_text("Copied")
        expect(page.get_by_role("button", name="Copied")).to_be_focused()
        reader.bring_to_front()
        copied = reader.evaluate("navigator.clipboard.readText()")
        assert copied == page.locator("#examples ~ .block code").first.text_content()


def test_a_release_hides_what_it_does_not_have_and_is_remembered(browser: Browser, folder: Path, whole: Site) -> None:
    oldest, newest = whole.releases[0], whole.releases[-1]
    later = next(each for each in whole.model.structs if any(field.about.since for field in each.fields))
    page_of = {each.about.since: name for name, each in whole.model.declarations.items() if each.about.since}
    with opened(browser, folder, f"types/{later.name}.html") as page:
        added = page.locator("tr[data-since]")
        expect(added.first).to_be_visible()
        page.get_by_label("Release").select_option(oldest)
        assert added.locator("visible=true").count() == 0
        assert page.locator("tbody tr:not([data-since])").locator("visible=true").count() > 0
        expect(page.locator(".spoken[role=status]")).to_have_text(f"Only release {oldest} is shown")
        page.goto((folder / "names.html").as_uri())
        expect(page.get_by_label("Release")).to_have_value(oldest)
        assert page.locator("tr[data-since]").locator("visible=true").count() == 0
        page.goto((folder / f"types/{page_of[newest]}.html").as_uri())
        expect(page.locator("h1 + .absent")).to_have_text(f"Release {oldest} does not have this.")
        page.get_by_label("Release").select_option(newest)
        expect(page.locator("h1 + .absent")).to_be_hidden()
        page.goto((folder / f"types/{later.name}.html").as_uri())
        page.get_by_label("Release").select_option("all")
        assert added.locator("visible=true").count() == added.count()


def test_what_a_link_leads_to_is_shown_in_any_release(browser: Browser, folder: Path, whole: Site) -> None:
    name, field = next((s.name, f.name) for s in whole.model.structs for f in s.fields if f.about.since)
    with opened(browser, folder) as page:
        page.get_by_label("Release").select_option(whole.releases[0])
        page.goto((folder / f"types/{name}.html").as_uri())
        page.goto((folder / f"types/{name}.html").as_uri() + f"#m-{field}")
        expect(page.locator(":target")).to_be_in_viewport()


def test_the_search_forgives_typing_errors_only_where_nothing_matches(browser: Browser, folder: Path) -> None:
    rows = [["", name, f"types/{name}.html", "type.", ["session_id"]] for name in ("OrderLine", "OrderLimit", "Odd")]
    rows += [["", f"Thing{number:04}Holder", "index.html", "type.", []] for number in range(5_000)]
    text = f"const RELEASES = [];\nconst INDEX = {json.dumps(rows)};\n"
    with opened(browser, folder) as page:
        page.route("**/index.js", lambda route: route.fulfill(body=text, content_type="text/javascript"))
        page.goto((folder / "index.html").as_uri())
        expect(page.get_by_label("Release")).to_have_count(0)
        assert found(page, "order") == ("4 found", ["OrderLine", "OrderLimit", *["session_id"] * 2])
        assert found(page, "oder") == ("4 similar", ["OrderLine", "OrderLimit", *["session_id"] * 2])
        assert found(page, "odrer") == ("4 similar", ["OrderLine", "OrderLimit", *["session_id"] * 2])
        assert found(page, "orderlnie") == ("4 similar", ["OrderLine", "session_id", "OrderLimit", "session_id"])
        assert found(page, "limti") == ("2 similar", ["OrderLimit", "session_id"])
        assert found(page, "sesion_ib") == ("3 similar", ["session_id"] * 3)
        assert found(page, "ordrline.sesion_id") == ("1 similar", ["session_id"])
        assert found(page, "thign4321hodler") == ("1 similar", ["Thing4321Holder"])
        assert found(page, "odx") == ("0 found", [])
        assert found(page, "xxder") == ("0 found", [])


def found(page: Page, text: str) -> tuple[str, list[str]]:
    """Search for a text; return what is said of the results, and their names."""
    page.get_by_role("searchbox").fill(text)
    return page.locator("output").inner_text(), page.locator("#found b").all_inner_texts()


def test_the_diagram_says_who_sends_what_in_words_too(browser: Browser, folder: Path, whole: Site) -> None:
    with opened(browser, folder, "messages.html", viewport=PHONE) as page:
        shown = page.get_by_role("img")
        first, second = whole.model.protocol.peers
        assert re.fullmatch(
            rf"Who sends what: {first} sends [\d, a-z]+\. {second} sends [\d, a-z]+\..*",
            shown.get_attribute("aria-label") or "",
        )
        sizes = shown.locator("text").evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().height)")
        assert min(sizes) > 9


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_axe_finds_nothing(browser: Browser, folder: Path, whole: Site, size: dict[str, int], scheme: str) -> None:
    union = min(whole.model.unions, key=lambda each: abs(len(each.variants) - 10)).name
    enum = min(whole.model.enums, key=lambda each: abs(len(each.values) - 10)).name
    with opened(browser, folder, viewport=size, color_scheme=scheme) as page:
        for path in ("index.html", "messages.html", *(f"types/{name}.html" for name in (message(whole), union, enum))):
            page.goto((folder / path).as_uri())
            assert violations(page) == [], path
        page.get_by_role("searchbox").fill("session")
        expect(page.locator("#found li").first).to_be_visible()
        assert violations(page) == []


@pytest.mark.parametrize("scheme", sample(["light", "dark"], 1))
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_axe_finds_nothing_in_the_lists_of_a_small_spec(
    browser: Browser, root: Path, tmp_path: Path, size: dict[str, int], scheme: str
) -> None:
    small = written(spec_site(root / "tests" / "specs" / "parcel"), tmp_path)
    lists = [path.relative_to(small).as_posix() for path in [*small.glob("*.html"), *small.glob("areas/*.html")]]
    assert {"controls.html", "tools.html", "names.html"} < set(lists)
    with opened(browser, small, viewport=size, color_scheme=scheme) as page:
        for path in lists:
            page.goto((small / path).as_uri())
            assert violations(page) == [], path
