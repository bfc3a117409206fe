"""Every name of gradio, uvicorn and starlette that the app uses and their documentation does not promise.

Each stands here with what it is used for and what happens without it. A new version may take any of them away: then a
test names it. These names are used in `visualiser.server.gradio` and `visualiser.server.uvicorn` alone; a test reads
the sources. Public are the names in ``__all__`` of `gradio`, `uvicorn` and `gradio_client`, `gr.api` and `gr.themes`.
"""

from collections.abc import Mapping
from typing import Final

PRIVATE: Final[Mapping[str, str]] = {
    # building
    "gradio.routes.App": "Is the web app. Without it sessions stay large.",
    "gradio.routes.App.create_app": "Makes it at the end of each page. Left alone: 1 s more at each start.",
    "gradio.blocks.Blocks.get_config_file": "Writes all components down at the end of each page. As above.",
    "gradio.blocks.Blocks.config": "Holds the texts that components name. Without it every label is a key.",
    "gradio.blocks.Blocks.validate_inputs": "Checks a call's values. Left alone, too few print a traceback.",
    "gradio.block_function.BlockFunction": "Is what that check gets: the type of a parameter.",
    "gradio.blocks.Blocks.fns": "Holds the functions of the endpoints. Without it the documents cannot describe them.",
    "gradio.blocks.Blocks.get_api_info": "Gives the schemas of the endpoints. As above.",
    "gradio.utils.get_function_description": "Reads an endpoint's docstring, for documents and tools. As above.",
    # imports
    "gradio.component_meta": "Writes stub files for editors at each import. Left alone: 1.4 s more at each start.",
    "gradio.component_meta.create_or_modify_pyi": "Writes one. As above.",
    "gradio.events.EventListener.set_doc": "Renders the documentation of an event. As above.",
    # a running app
    "gradio.routes.App.blocks": "Leads from a request to the app. Without it neither address nor queue is found.",
    "gradio.routes.App.get_blocks": "Is the same from within the process.",
    "gradio.routes.App.auth": "Says that people log in. Without it our routes would answer everybody.",
    "gradio.routes.App.auth_dependency": "Says who a visitor is where another app hosts this one. As above.",
    "gradio.routes.App.cookie_id": "Is in the name of the cookie of a login. Without it nobody is known.",
    "gradio.routes.App.tokens": "Holds the values of those cookies. As above.",
    "gradio.blocks.Blocks.server_name": "Is the host that the app listens to. Without it a class gets no address.",
    "gradio.blocks.Blocks.server_port": "Is the port. As above.",
    "gradio.blocks.Blocks.protocol": "Is http or https. As above.",
    "starlette.applications.Starlette.middleware_stack": "Is all middleware. Without it ours stands within gradio's.",
    # sessions
    "gradio.routes.App.state_holder": "Keeps the sessions: 200 kB and 30 ms each, if left alone.",
    "gradio.state_holder.StateHolder": "Is its type, which ours extends.",
    "gradio.state_holder.StateHolder.session_data": "Holds them by name. As above.",
    "gradio.state_holder.StateHolder.set_blocks": "Tells it of the app. As above.",
    "gradio.state_holder.SessionState": "Is one session, with a copy of the configuration that nothing here reads.",
    "gradio.state_holder.SessionState.blocks_config": "Is a session's own; shared, one would change another's.",
    "gradio.state_holder.SessionState.config_values": "As above.",
    "gradio.state_holder.SessionState.state_data": "As above.",
    "gradio.state_holder.SessionState._state_ttl": "As above.",
    "gradio.blocks.Blocks.default_config": "Is what each session's is a copy of.",
    # the queue of calls
    "gradio.blocks.Blocks._queue": "Is the queue. Without it all that follows stays as gradio has it.",
    "gradio.queueing.Queue": "Is its type.",
    "gradio.queueing.Queue.pending_messages_per_session": "Keeps results: unfetched ones for ever, if left "
    "alone, and the queue stops for ever at a message to a session that 2,000 others pushed out.",
    "gradio.server_messages.EventMessage": "Is one of them.",
    "gradio.utils.LRUCache": "Is the table of them.",
    "gradio.queueing.Queue.pending_event_ids_session": "Keeps the unfetched calls of each session. As above.",
    "gradio.queueing.Queue.event_ids_to_events": "Keeps the calls. Left alone: one that is cancelled twice for ever.",
    "gradio.queueing.Queue.active_jobs": "Holds the calls that are computed. Without it they would be taken for lost.",
    "gradio.queueing.Queue.event_queue_per_concurrency_id": "Holds the calls that wait. As above.",
    "gradio.queueing.EventQueue.queue": "As above.",
    "gradio.queueing.Event._id": "Is a call's name. As above.",
    "gradio.queueing.Queue.ANALYTICS_MAX_EVENTS": "Bounds statistics that nobody reads. Left alone: 10,000 calls.",
    "gradio.queueing.Queue.ANAYLTICS_CACHE_FREQUENCY": "Says how often pandas sums them up. Left alone: at each call.",
    "gradio.queueing.Queue.sleep_when_free": "Is the pause between checks. Left alone: a twentieth of an idle core.",
    "gradio.context.LocalContext": "Says which call is answered. Without it a call goes on when its program has left.",
    "gradio.context.LocalContext.event_id": "As above.",
    # serving
    "gradio.http_server": "Finds a port and starts the server. Without it there is none at an address of IPv6.",
    "gradio.http_server.LOCALHOST_NAME": "Is the address at which it looks for a free port. As above.",
    "gradio.blocks.Blocks.server": "Is uvicorn's server. Without it connections have no bound and no orderly end.",
    "gradio.blocks.Blocks.block_thread": "Waits on a Space. Without it the process ends at once.",
    "gradio.blocks.Blocks.is_running": "Ends streams as long as a page. Left alone they take all of the grace.",
    "gradio.blocks.Blocks.app": "Leads to the event below.",
    "gradio.routes.App.stop_event": "Wakes those streams. As above.",
    "gradio.http_server.Server.thread": "Is the thread that serves. Without it the process ends before the answers.",
    "uvicorn.server.Server.servers": "Holds the listening sockets, which are opened anew with a shorter queue.",
    "uvicorn.server.Server.server_state": "Is what every connection reports to. Without it none can be made.",
    "uvicorn.server.Server.lifespan": "Holds the state that every request gets. As above.",
    "uvicorn.server.Server.should_exit": "Ends it in order. Left alone the process ends with answers half sent.",
    "uvicorn.server.Server.force_exit": "Ends it at once, at a second Ctrl-C. Left alone that waits for the grace.",
    "uvicorn.config.Config.http_protocol_class": "Makes connections. Left alone they have no bounds.",
    "uvicorn.config.Config.timeout_graceful_shutdown": "Is read when the server ends; `launch` takes no value for it.",
    "uvicorn.config.Config.ssl": "Is the certificate of the sockets that are opened anew.",
    # one connection
    "uvicorn.protocols.http.h11_impl.H11Protocol": "Has bounds on heads; the other parser gets ours.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.loop": "Gives the clock of a connection.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.transport": "Closes it, and tells how much is unsent.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.client": "Is its address.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.timeout_keep_alive": "Is for ever long with a reader that "
    "reads nothing; ours counts unsent bytes.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.ws_protocol_class": "Would take connections that we no "
    "longer count.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.cycle": "Is the request under way. Without it an idle "
    "connection could not be distinguished from a busy one.",
    "uvicorn.protocols.http.httptools_impl.RequestResponseCycle.response_complete": "As above.",
    "uvicorn.protocols.http.httptools_impl.RequestResponseCycle.more_body": "As above, of a body that still comes.",
    "uvicorn.protocols.http.httptools_impl.RequestResponseCycle.disconnected": "Tells a request that its visitor left. "
    "Left alone, only the newest request of a connection hears of it.",
    "uvicorn.protocols.http.httptools_impl.RequestResponseCycle.message_event": "As above.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.pipeline": "Holds requests sent before "
    "an answer. Left alone it has no bound.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.on_message_begin": "Says that a head begins. Without "
    "these four a head and the trailers after a body have no bound.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.on_headers_complete": "As above.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.on_body": "As above.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.on_message_complete": "As above.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.on_response_complete": "Says that a connection is idle.",
    "uvicorn.protocols.http.httptools_impl.HttpToolsProtocol.send_400_response": "Refuses a head that is too long.",
}
"""By the full name: what it is for, and what happens without it."""
