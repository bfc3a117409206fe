"""Every page runs under the policy that the server sends with it, at the top and in a frame of another origin."""

import re
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Frame, Page

from tests.browser import controls, drawn
from tests.browser.framed import inner, platform
from tests.browser.served import FLEETING, serving
from visualiser.state.parameters import PAGES

WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile, sample }) =>
  window.violations.push(`${violatedDirective} ${blockedURI} ${sourceFile} ${sample}`));
"""


def violations(page: Page | Frame) -> list[str]:
    """Return what the policy has refused so far."""
    return page.evaluate("window.violations")


@pytest.mark.parametrize("page_name", PAGES)
@pytest.mark.parametrize("query", ["lang=en", "lang=ko&__theme=dark"])
def test_every_page_runs_under_its_policy(open_page: Callable[..., Page], page_name: str, query: str) -> None:
    page = open_page(f"page={page_name}&{query}", init_script=WATCH, painted=False)
    page.wait_for_function("() => document.querySelector('[data-painted]') !== null")
    page.wait_for_load_state("networkidle")
    assert violations(page) == []


def test_the_policy_refuses_what_it_should(open_page: Callable[..., Page]) -> None:
    page = open_page(init_script=WATCH, expected_errors=["Content Security Policy"])
    left = page.evaluate(
        """async () => {
          const run = (text) => {
            const script = document.createElement("script");
            script.textContent = text;
            document.head.append(script);
          };
          run("window.ran = true");
          document.body.insertAdjacentHTML("beforeend", "<img src='data:,' onerror='window.ran = true'>");
          return fetch("https://example.invalid/").then(() => true, () => false);
        }"""
    )
    page.wait_for_function("() => window.ran || window.violations.length >= 3")
    assert page.evaluate("window.ran === undefined")
    assert left is False
    found = {violation.split()[0] for violation in violations(page)}
    assert found == {"script-src-elem", "script-src-attr", "connect-src"}


def test_no_text_becomes_a_function_but_the_apps_own(open_page: Callable[..., Page]) -> None:
    page = open_page(init_script=WATCH)
    read, refused = page.evaluate(
        """async () => {
          const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor;
          const refused = [];
          const attempts = [
            () => Function("return 1"),
            () => new Function("a", "return a"),
            () => new AsyncFunction("return (\\n async () => fetch('/')\\n);"),
            () => Function('return "a" + document.cookie + "b";'),
            () => Function("return `${document.cookie}`;"),
            () => new AsyncFunction("return (\\nasync () => (await window.headlight).start(alert(1))\\n);")()
              .then((made) => made()),
            () => Function('window.headlight.then((page) => page.mount("a", element, trigger));x()'),
          ];
          for (const attempt of attempts) {
            try {
              await attempt();
              refused.push(null);
            } catch (problem) {
              refused.push(problem.name);
            }
          }
          const scripts = window.gradio_config.dependencies.map(({ js }) => js).filter(Boolean);
          let read = 0;
          for (const js of scripts) {
            if (typeof (await new AsyncFunction(`return (\\n${js}\\n);`)()) === "function") read += 1;
          }
          return [read === scripts.length && read > 10, refused];
        }"""
    )
    assert read
    assert refused == ["EvalError"] * 5 + ["SyntaxError", "EvalError"]


def test_files_leave_under_the_policy(open_page: Callable[..., Page]) -> None:
    page = open_page("n=5&h=2", init_script=WATCH, accept_downloads=True)
    for name in ("#figure-heat-maps .tool[data-format=png]", "#figure-entropy .tool[data-format=png]", "#take-html"):
        with page.expect_download() as got:
            controls.press(page, name)
        assert got.value.path().stat().st_size > 1000
    assert violations(page) == []


@pytest.fixture(scope="module")
def slides(app_url: str) -> Iterator[str]:
    """Serve a page of another origin that holds the app in a frame."""
    with platform(app_url, "n=5&h=1") as outside:
        yield outside


def test_a_frame_of_another_origin_paints_and_answers(chromium: Browser, slides: str) -> None:
    context = chromium.new_context(locale="en-US", viewport={"width": 1360, "height": 950})
    context.set_default_timeout(60_000)
    context.add_init_script(WATCH)
    page = context.new_page()
    page.goto(slides)
    frame = inner(page)
    for query in ("n=5&h=1", "n=6&h=1"):
        frame.wait_for_function(
            """(query) => document.querySelector(`[data-painted="${query}"]`) !== null""",
            arg=query,
        )
        if query == "n=5&h=1":
            field = frame.locator("#control-n input[type=number]")
            field.fill("6")
            field.press("Enter")
    assert violations(frame) == []
    context.close()


def test_every_answer_says_what_it_may_do(app_url: str) -> None:
    with httpx.Client(base_url=app_url) as client:
        answers = [
            client.get("theme.css"),
            client.get("config"),
            client.get("nothing-here"),
            client.post("gradio_api/headlight/page/explore", content=b"", headers={"origin": "https://evil.example"}),
            client.post("gradio_api/headlight/page/explore", content=b""),
            client.options("", headers={"origin": "https://evil.example", "access-control-request-method": "POST"}),
        ]
        document = client.get("")
    assert [answer.status_code for answer in answers] == [200, 200, 404, 403, 400, 403]
    for answer in answers:
        assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors *"
    for answer in [*answers, document]:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "camera=()" in answer.headers["permissions-policy"]
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "unsafe-eval" not in document.headers["content-security-policy"]


def test_a_space_fetches_nothing_from_elsewhere_and_frames_can_be_refused(chromium: Browser, slides: str) -> None:
    with serving(
        None, FLEETING, HEADLIGHT_FRAME_ANCESTORS="'self' https://school.example", SPACE_ID="school/headlight"
    ) as app:
        context = chromium.new_context()
        context.add_init_script(WATCH)
        asked: list[str] = []
        context.on("request", lambda request: asked.append(request.url))
        page = context.new_page()
        page.goto(app.url)
        drawn.wait_painted(page)
        assert violations(page) == []
        assert not [url for url in asked if not url.startswith((app.url, "data:", "blob:"))]
        policy = httpx.get(app.url).headers["content-security-policy"]
        assert policy.endswith("frame-ancestors 'self' https://school.example")
        context.close()


def test_the_document_and_scripts_travel_compressed_and_once(app_url: str) -> None:
    packed = {"accept-encoding": "br"}
    with httpx.Client(base_url=app_url, headers=packed) as client:
        with client.stream("GET", "?lang=en") as document:
            size = sum(map(len, document.iter_raw()))
        assert document.headers["content-encoding"] == "br"
        assert 10_000 < size < 100_000
        again = client.get("?lang=en", headers={"if-none-match": document.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        written = httpx.get(f"{app_url}?lang=en", headers={"accept-encoding": "identity"}).text
        script = re.search(r"assets/index-[\w-]+\.js", written)
        assert script is not None
        with client.stream("GET", script[0]) as file:
            assert file.status_code == 200
            assert file.headers["content-encoding"] == "br"
            assert "immutable" in file.headers["cache-control"]
