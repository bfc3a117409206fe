"""Inside a page of another origin everything works, or the frame says what is missing."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Frame, Page, expect

from tests.browser import controls
from tests.browser.framed import NO_STORAGE, inner, platform
from tests.browser.in_class import answered, asks, choice, follows, here, opened, phase, votes
from visualiser import locale

NO_COPYING = "document.execCommand = () => false;"
OF_TAB = {"__theme": "dark", "__sign": "a.b-c"}


@pytest.fixture(scope="module")
def outside(app_url: str) -> Iterator[str]:
    """Serve a page of another origin."""
    with platform(app_url) as url:
        yield url


def is_problem(entry: ConsoleMessage) -> bool:
    """True for an error but the browser's refusal of the clipboard, which the page takes as an answer."""
    return entry.type == "error" and "Clipboard API has been blocked" not in entry.text


@pytest.fixture
def embedded(chromium: Browser, outside: str) -> Iterator[Callable[..., Page]]:
    """Open the page of another origin with the app in a frame; no error may come that is not expected."""
    contexts, problems = [], []

    def open_page(init_script: str = "", quiet: bool = True, locale: str = "en-US", **asked: str) -> Page:
        context = chromium.new_context(locale=locale, viewport={"width": 1360, "height": 850})
        context.set_default_timeout(60_000)
        context.add_init_script(init_script)
        contexts.append(context)
        page = context.new_page()
        if quiet:
            page.on("pageerror", lambda problem: problems.append(str(problem)))
            page.on("console", lambda entry: problems.append(entry.text) if is_problem(entry) else None)
        page.goto(f"{outside}?{urlencode(asked)}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not problems, "\n".join(problems)


def wait_painted(frame: Frame, page: str, lang: str) -> None:
    """Wait until the frame shows this page in this language."""
    frame.wait_for_function(
        """([page, lang]) => {
          const painted = document.querySelector("#insight")?.dataset.painted;
          const link = new URLSearchParams(painted);
          return painted !== undefined && (link.get("page") ?? "explore") === page
            && document.documentElement.lang === lang && (link.get("lang") ?? "en") === lang;
        }""",
        arg=[page, lang],
    )


def tab(frame: Frame) -> dict[str, str]:
    """Return what belongs to the tab in the frame's address."""
    query = parse_qs(urlsplit(frame.evaluate("location.href")).query)
    return {name: values[0] for name, values in query.items() if name.startswith("__")}


@pytest.mark.parametrize("init_script", ["", NO_STORAGE], ids=["storage", "no storage"])
@pytest.mark.parametrize("sandbox", [None, "allow-scripts allow-same-origin"], ids=["plain", "sandboxed"])
def test_pages_language_and_link_work_in_a_frame(
    embedded: Callable[..., Page], sandbox: str | None, init_script: str
) -> None:
    asked = {} if sandbox is None else {"sandbox": sandbox}
    page = embedded(init_script + NO_COPYING, query=f"n=5&h=1&{urlencode(OF_TAB)}", **asked)
    frame = inner(page)
    wait_painted(frame, "explore", "en")
    frame.locator(controls.page_link("why")).click()
    wait_painted(frame, "why", "en")
    assert tab(frame) == OF_TAB
    frame.locator("#control-lang label:has(input[value=ko])").click()
    wait_painted(frame, "why", "ko")
    assert tab(frame) == OF_TAB
    frame.locator(controls.page_link("explore")).click()
    wait_painted(frame, "explore", "ko")
    assert tab(frame) == OF_TAB
    assert frame.locator("body.dark").count() == 1
    controls.press(frame, "#take-link")  # type: ignore[arg-type]
    by_hand = frame.locator(".fallback:visible")
    expect(frame.get_by_text(locale.text("ko", "export.copy_by_hand"))).to_be_visible()
    copied = urlsplit(by_hand.input_value())
    assert parse_qs(copied.query) == {"n": ["5"], "h": ["1"], "lang": ["ko"]}
    assert by_hand.evaluate("(area) => area.value.slice(area.selectionStart, area.selectionEnd) === area.value")


def test_outside_of_frames_theme_and_signature_survive_as_well(open_page: Callable[..., Page]) -> None:
    page = open_page(f"n=5&h=1&{urlencode(OF_TAB)}", permissions=["clipboard-read", "clipboard-write"])
    frame = page.main_frame
    frame.locator(controls.page_link("why")).click()
    wait_painted(frame, "why", "en")
    frame.locator("#control-lang label:has(input[value=ko])").click()
    wait_painted(frame, "why", "ko")
    assert tab(frame) == OF_TAB
    assert frame.locator("body.dark").count() == 1
    controls.press(page, "#take-link")
    page.get_by_text(locale.text("ko", "export.link_copied")).wait_for()
    assert "__" not in page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize(
    ("browser", "query", "lang"), [("en-US", "n=5", "en"), ("ko-KR", "n=5", "ko"), ("en-US", "n=5&lang=ko", "ko")]
)
def test_a_sandbox_without_an_origin_says_what_is_missing(
    embedded: Callable[..., Page], browser: str, query: str, lang: str
) -> None:
    page = embedded(quiet=False, locale=browser, sandbox="allow-scripts", query=query)
    notice = inner(page).locator(".missing:visible")
    expect(notice).to_contain_text(locale.text(lang, "frame.sandboxed"))
    assert "allow-same-origin" in notice.inner_text()
    link = notice.locator("a")
    assert (link.get_attribute("href") or "").endswith(f"?{query}")
    assert inner(page).locator("[data-painted]").count() == 0


def test_a_sandbox_without_scripts_says_so_in_every_language(embedded: Callable[..., Page]) -> None:
    page = embedded(quiet=False, sandbox="", query="n=5")
    notices = inner(page).locator("noscript .missing")
    assert [(one.get_attribute("lang"), one.is_visible()) for one in notices.all()] == [
        (lang, True) for lang in locale.LANGUAGES
    ]
    assert notices.all_inner_texts() == [locale.text(lang, "frame.no_scripts") for lang in locale.LANGUAGES]


def test_a_page_with_its_origin_and_scripts_says_nothing_of_the_kind(open_page: Callable[..., Any]) -> None:
    page = open_page("n=5&h=1")
    assert page.locator(".missing").count() == 0


def test_a_student_s_page_in_a_frame_without_storage_joins_answers_and_comes_back(
    embedded: Callable[..., Page], open_page: Callable[..., Page]
) -> None:
    teacher = open_page("n=8&h=2")
    code = opened(teacher)
    page = embedded(NO_STORAGE, query=f"room={code}&lang=ko", sandbox="allow-scripts allow-same-origin")
    frame = inner(page)
    follows(frame)  # type: ignore[arg-type]
    here(teacher, 1)
    asks(teacher, "Which?", ["one", "two"], right=1)
    phase(frame, "open")  # type: ignore[arg-type]
    votes(frame, 1)  # type: ignore[arg-type]
    answered(teacher, 1)
    frame.evaluate("() => void setTimeout(() => location.reload())")
    frame.locator("#class[data-asked=open]").wait_for()
    expect(choice(frame, 1)).to_be_checked()  # type: ignore[arg-type]
    here(teacher, 1)  # the same tab, and not a second one
    votes(frame, 0)  # type: ignore[arg-type]
    teacher.locator("#room-answered[data-count='1']").wait_for()


def test_a_student_s_page_in_a_sandbox_without_an_origin_leads_to_the_class(
    embedded: Callable[..., Page], open_page: Callable[..., Page]
) -> None:
    teacher = open_page("n=8&h=2")
    code = opened(teacher)
    page = embedded(quiet=False, sandbox="allow-scripts", query=f"room={code}")
    link = inner(page).locator(".missing:visible a")
    address = link.get_attribute("href")
    assert address
    assert address.endswith(f"?room={code}")
    student = open_page(address.split("?")[1], painted=False)
    follows(student)
    here(teacher, 1)
