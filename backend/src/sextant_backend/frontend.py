"""The built browser console: files as they are, every other path the page itself."""

from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, Response

from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.surface import ANY_PAGE, is_api, unknown_path

FOR_EVER = "public, max-age=31536000, immutable"
"""Files under assets/ carry a hash of their content in their name."""


def install(app: FastAPI, folder: Path | None) -> None:
    """Serve `folder`; without one, say how to get it. Added last: it answers every GET that nothing else does."""
    root = folder.resolve() if folder is not None else None

    @app.get(ANY_PAGE, include_in_schema=False)
    def serve(request: Request, path: str) -> Response:
        """A built file, or the page."""
        if is_api(path):
            raise unknown_path(request)
        if root is None or not (root / "index.html").is_file():
            raise NotFound("The browser console is not built; `make setup` builds it.")
        return _file(root, path)


def _file(root: Path, path: str) -> Response:
    try:
        file = (root / path).resolve()
        found = path != "" and file.is_relative_to(root) and file.is_file()
    except (ValueError, OSError):  # a NUL character, a name too long
        found = False
    if found and path.startswith("assets/"):
        return FileResponse(file, headers={"Cache-Control": FOR_EVER})
    if found and file.name != "index.html":
        return FileResponse(file, headers={"Cache-Control": "no-cache"})
    if path.startswith("assets/"):
        raise NotFound(f"There is no /{path}; reload the page, a newer one is installed.")
    return FileResponse(root / "index.html", headers={"Cache-Control": "no-store"})
