"""`serve`: tables in the browser."""

from __future__ import annotations

from dataclasses import dataclass

from edict.cli.errors import UsageError

MISSING = "this needs the extra `web`"


@dataclass(frozen=True)
class ServeOptions:
    """host, port: where the server listens. store: a database, by default a file beside the saved games."""

    host: str = "127.0.0.1"
    port: int = 8000
    store: str = ""
    workers: int = 1


def serve(options: ServeOptions) -> int:
    """Serve until Ctrl-C; gives the exit code."""
    try:
        import uvicorn

        from edict.web.app import Server
        from edict.web.setup import Offer
        from edict.web.store import Store, StoreError
    except ImportError as missing:
        raise UsageError(f"{MISSING} ({missing.name} is not installed)", "pip install 'kingsburg[web]'") from None
    try:
        store = Store(options.store or _usual_store())
    except StoreError as problem:
        raise UsageError(problem.reason, problem.remedy) from None
    print(f"Open a table at http://{options.host}:{options.port}/ (Ctrl-C stops the server)", flush=True)
    app = Server(store, Offer(), options.workers).app()
    uvicorn.run(app, host=options.host, port=options.port, log_level="warning", proxy_headers=False)
    return 0


def _usual_store() -> str:
    from edict.cli.playing.saves import folder

    folder().mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder() / 'tables.sqlite'}"
