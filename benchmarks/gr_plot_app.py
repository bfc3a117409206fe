"""The same heat maps drawn by `gr.Plot` in its fastest setup: no queue, no run history, no progress."""

import gradio as gr

from attention_core import BOUNDS, AttentionConfig, compute
from visualiser.figures import heat_maps
from visualiser.state.view import View


def draw(d_k: int, request: gr.Request) -> object:
    """Draw the figure for the slider's d_k and the address's n; `layout.meta` tells the benchmark its d_k."""
    config = AttentionConfig(n=int(request.query_params.get("n", 32)), d_k=int(d_k), tie=False)
    return heat_maps(compute(config), View()).update_layout(meta=int(d_k))


with gr.Blocks() as demo:
    bound = BOUNDS["d_k"]
    d_k = gr.Slider(bound.minimum, bound.maximum, bound.default, step=bound.step, elem_id="control-d_k")
    plot = gr.Plot(elem_id="figure-heat-maps")
    d_k.input(draw, d_k, plot, queue=False, show_progress="hidden", trigger_mode="always_last")
    demo.load(draw, d_k, plot, queue=False, show_progress="hidden")

if __name__ == "__main__":
    demo.launch(run_history=False, footer_links=[])
