"""The app as `launch` serves it, without a server."""

from gradio.routes import App

from visualiser.pages import shell


def whole(*, auth: list[tuple[str, str]] | None = None) -> App:
    """Return the web app, with a login if there are names and passwords."""
    demo = shell.build()
    demo.auth = auth
    demo.auth_message, demo.theme_css = None, ""
    return App.create_app(demo, app_kwargs=shell.launch_options(demo)["app_kwargs"])
