"""The console's client of the tests: TestClient with one change of threads a request, where that one has nine.

All requests of a process share an event loop, with its threads for what blocks: the console has nothing to start or to
end with its application. What an application streams without end wants a real server (`console_world.serving`)."""

import asyncio
import threading
from functools import cache
from typing import Any

import httpx
from fastapi.testclient import TestClient


class QuickClient(TestClient):
    """An application without a lifespan; what it raises is answered with 500, as over a network."""

    def __init__(self, app: Any) -> None:
        super().__init__(app, raise_server_exceptions=False)
        self._transport = _InOneGo(app)


class _InOneGo(httpx.BaseTransport):
    """The request is asked, and its answer read to the end, in the event loop's thread."""

    def __init__(self, app: Any) -> None:
        self._asked = httpx.ASGITransport(app, raise_app_exceptions=False, client=("testclient", 50000))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        return asyncio.run_coroutine_threadsafe(self._answer(request), _loop()).result()

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        answer = await self._asked.handle_async_request(request)
        assert isinstance(answer.stream, httpx.AsyncByteStream)
        body = b"".join([part async for part in answer.stream])
        return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(body))


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Runs in a thread of its own until the process ends."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="console", daemon=True).start()
    return loop
