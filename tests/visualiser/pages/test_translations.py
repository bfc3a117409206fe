"""The document carries the texts of gradio's labels in both languages, and no others."""

import gradio as gr
import pytest

from visualiser.locale import LANGUAGES, texts
from visualiser.pages import labels, shell
from visualiser.pages.labels import label, translations


def some() -> gr.Blocks:
    with gr.Blocks() as demo:
        gr.Slider(label=label("control.n.label"), info=label("control.mask.label"))
        gr.Radio([(label("choice.mask.none"), "none"), (label("choice.mask.causal"), "causal")])
        gr.HTML(f"<p>{label('page.reset')}</p>")
    return demo


async def test_it_holds_what_the_components_name_and_nothing_else() -> None:
    # without a running loop gradio makes one for each app and leaves it open
    sent = translations(some()).translations
    assert set(sent) == set(LANGUAGES)
    keys = {"control.n.label", "control.mask.label", "choice.mask.none", "choice.mask.causal", "page.reset"}
    for lang in LANGUAGES:
        assert sent[lang] == {key.replace(".", "-"): texts(lang)[key] for key in keys}


@pytest.mark.slow
async def test_every_label_of_every_page_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    made: set[str] = set()
    named = labels._NAMED_LATER
    monkeypatch.setattr(labels, "_NAMED_LATER", lambda key: made.add(key) or named(key))
    sent = translations(shell.build()).translations
    assert len(made) > 100
    # an explanation that no page shows would be lost without a word
    assert {key for key in texts("en") if key.startswith("explain.")} <= {key.replace("-", ".", 1) for key in made}
    for lang in LANGUAGES:
        assert sent[lang].keys() == made
