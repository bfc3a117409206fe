"""The least that an app like this costs: gradio with one line of text, and torch imported."""

import gradio as gr
import torch

with gr.Blocks() as demo:
    gr.Markdown(f"torch {torch.__version__}", elem_id="empty")

if __name__ == "__main__":
    demo.launch(run_history=False)
