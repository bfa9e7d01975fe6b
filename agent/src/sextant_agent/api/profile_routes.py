"""The routes of measurements: order one, follow it, end it (docs/contracts/agent.md)."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from sextant_domain.profiling.job import ActiveProfiles, ProfileOrder, ProfileRun


class ProfileService(Protocol):
    """What these routes need of the agent."""

    def profile(self, order: ProfileOrder) -> ProfileRun:
        """Begin a measurement, or return what is known under its key."""

    def profile_run(self, key: str) -> ProfileRun:
        """How far it is, or what came out."""

    def profiles(self) -> ActiveProfiles:
        """What is measured now."""

    def cancel_profile(self, key: str) -> ProfileRun:
        """End it."""


def add_profile_routes(
    api: FastAPI,
    agent_of: Callable[[Request], ProfileService],
    read_order: Callable[[Request], Awaitable[ProfileOrder]],
) -> None:
    """Who may ask, and how a body is read, are the application's rules."""

    @api.get("/v1/profiles")
    def profiles(request: Request) -> ActiveProfiles:
        return agent_of(request).profiles()

    @api.post("/v1/profiles", status_code=202)
    async def order(request: Request) -> ProfileRun:
        ordered = await read_order(request)
        return await run_in_threadpool(agent_of(request).profile, ordered)

    @api.get("/v1/profiles/{key}")
    def run(request: Request, key: str) -> ProfileRun:
        return agent_of(request).profile_run(key)

    @api.delete("/v1/profiles/{key}")
    def cancel(request: Request, key: str) -> ProfileRun:
        return agent_of(request).cancel_profile(key)
