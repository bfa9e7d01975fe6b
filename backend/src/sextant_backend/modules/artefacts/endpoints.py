"""Upload, list, show, download and delete artefacts."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from sextant_domain.base import Digest
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.hosts.artefact import MAX_BYTES, Artefact, ArtefactName, FileKind
from starlette.requests import ClientDisconnect

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.errors import BodyTooLarge, MalformedBody
from sextant_backend.kit.etag import IfMatch, etag_of, require_if_match, set_etag
from sextant_backend.kit.idempotency import IdempotentRoute, idempotent_by
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.artefacts import repository, service
from sextant_backend.modules.artefacts.upload import PIECE_BYTES, Upload, too_large

PATH = "/artefacts"
router = APIRouter(prefix=PATH, tags=["artefacts"], route_class=IdempotentRoute)
MayWriteArtefacts = Annotated[Principal, may(Permission.ARTEFACTS_WRITE)]

ArtefactDigest = Annotated[Digest, Path()]
_BINARY = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


async def _received(
    request: Request,
    session: SessionDep,
    _operator: MayWriteArtefacts,
    name: Annotated[ArtefactName, Query(description="Name; used before: this is its next version")],
    kind: Annotated[FileKind, Query(description="What is in it")],
) -> AsyncIterator[Upload]:
    """The body in a temporary file. Of a stranger's not a byte is read, of a larger one than its kind may be no more
    than is needed to see it."""
    await run_in_threadpool(session.rollback)  # a slow upload holds no connection to the database, nor a turn
    request.state.turn.give_back()
    declared = request.headers.get("content-length", "")
    refusal = too_large(kind, int(declared)) if declared.isdecimal() and int(declared) > MAX_BYTES[kind] else None
    with Upload(name, kind) as upload:
        try:
            refusal = await _fill(upload, request, refusal)
        except ClientDisconnect:
            raise MalformedBody(f"The upload broke off after {upload.size} bytes. Nothing was stored.") from None
        if refusal is not None:
            raise refusal
        await request.state.turn.take()
        yield upload


async def _fill(upload: Upload, request: Request, refusal: BodyTooLarge | None) -> BodyTooLarge | None:
    """A refused body is still read to its end (`BodyLimit` bounds it), so that its sender lives to see the answer."""
    waiting = b""
    async for part in request.stream():
        if refusal is not None:
            continue
        waiting += part
        if len(waiting) >= PIECE_BYTES:
            refusal, waiting = await _write(upload, waiting), b""
    return refusal or await _write(upload, waiting)


async def _write(upload: Upload, content: bytes) -> BodyTooLarge | None:
    try:
        await run_in_threadpool(upload.write, content)
    except BodyTooLarge as error:
        return error
    return None


UploadDep = Annotated[Upload, Depends(_received, scope="function")]


def _digest_of_request(upload: UploadDep) -> str:
    return f"{upload.digest} {upload.kind} {upload.name}"


@router.post(
    "",
    operation_id="uploadArtefact",
    status_code=201,
    dependencies=[idempotent_by(_digest_of_request)],
    responses={200: {"model": Artefact, "description": "These bytes are there already, maybe under another name"}},
    openapi_extra={"requestBody": {"required": True, "content": _BINARY}},
)
def upload_artefact(
    session: SessionDep,
    operator: MayWriteArtefacts,
    response: Response,
    upload: UploadDep,
) -> Artefact:
    """Store a file, its bytes being the body."""
    artefact, new = service.store(session, upload, operator)
    response.status_code = 201 if new else 200
    response.headers["Location"] = f"/api/v1{PATH}/{artefact.digest}"
    set_etag(response, artefact.digest)
    return artefact


@router.get("", operation_id="listArtefacts")
def list_artefacts(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    kind: Annotated[FileKind | None, Query(description="Only files of this kind")] = None,
    search: Annotated[
        str | None, Query(max_length=120, description="Only those with this in the name, or at the digest's start")
    ] = None,
) -> Page[Artefact]:
    """Artefacts, newest first, with the chains that use them."""
    return service.page(session, asked, kind, search)


@router.get("/{digest}", operation_id="getArtefact")
def get_artefact(session: SessionDep, _viewer: Viewer, response: Response, digest: ArtefactDigest) -> Artefact:
    """One artefact, without its content."""
    artefact = service.one(session, digest)
    set_etag(response, artefact.digest)
    return artefact


@router.get(
    "/{digest}/content",
    operation_id="downloadArtefact",
    response_class=StreamingResponse,
    responses={200: {"content": _BINARY, "description": "The bytes, as a file to be saved"}},
)
def download_artefact(session: SessionDep, _viewer: Viewer, digest: ArtefactDigest) -> StreamingResponse:
    """The bytes of an artefact."""
    row = service.found(session, digest)
    headers = {
        "Content-Length": str(row.size_bytes),
        # The name is of letters, digits, dots, hyphens and underscores only, and the browser may not guess (nosniff).
        "Content-Disposition": f'attachment; filename="{row.name}"',
        "ETag": etag_of(row.digest),
    }
    return StreamingResponse(service.content(row.id), headers=headers, media_type="application/octet-stream")


@router.delete("/{digest}", operation_id="deleteArtefact", status_code=204)
def delete_artefact(
    request: Request,
    session: SessionDep,
    operator: MayWriteArtefacts,
    digest: ArtefactDigest,
    _if_match: IfMatch = None,
) -> None:
    """Delete an artefact that no chain names."""
    row = service.found(session, digest, lock=True)
    require_if_match(request, row.digest)
    service.delete(session, row, operator)
