"""Routes that read their signatures late: found at once, made once, and like FastAPI's own from then on."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Annotated

import pytest
from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.openapi.utils import get_openapi
from fastapi.testclient import TestClient
from sextant_backend.app import API_PREFIX, ROUTERS
from sextant_backend.fleet.endpoints import router as fleet_router
from sextant_backend.kit.routes import LateRoute, routes_of
from sextant_domain.base import Frozen


class Bottle(Frozen):
    """What the routes below take and give."""

    litres: float = 0.75


def passed(request: Request) -> None:
    """A dependency that is put before all others."""
    request.state.passed = [*getattr(request.state, "passed", ()), "gate"]


def declare(router: APIRouter) -> APIRouter:
    """Three operations on bottles."""

    @router.get("/bottles/{number}", tags=["cellar"])
    def one(request: Request, number: int, times: Annotated[int, Query(ge=1)] = 1) -> Bottle:
        """A bottle."""
        return Bottle(litres=number * times + len(getattr(request.state, "passed", ())) / 10)

    @router.put("/bottles/{number}", status_code=201)
    def put(number: int, bottle: Bottle) -> Bottle:
        """Put one there."""
        return bottle

    @router.delete("/bottles/{number}", include_in_schema=False)
    def drink(number: int) -> None:
        """Gone."""

    return router


def late(*dependencies: object) -> list[LateRoute]:
    router = declare(APIRouter(prefix="/cellar", route_class=LateRoute))
    return list(routes_of(router, "/v1", *dependencies))  # type: ignore[arg-type]


def served(*dependencies: object) -> TestClient:
    app = FastAPI()
    app.router.routes.extend(late(*dependencies))
    return TestClient(app)


def is_made(route: LateRoute) -> bool:
    return "dependant" in vars(route)


def test_a_console_reads_no_signature_when_it_starts() -> None:
    routes = [route for router in (*ROUTERS, fleet_router) for route in routes_of(router, API_PREFIX)]
    assert len(routes) > 150
    assert not any(map(is_made, routes))
    assert all(route.path.startswith(API_PREFIX) and route.methods for route in routes)
    assert not any(map(is_made, routes))


def test_the_first_request_makes_its_own_route_alone() -> None:
    client = served()
    routes = [route for route in client.app.routes if isinstance(route, LateRoute)]  # type: ignore[attr-defined]

    assert client.get("/v1/cellar/bottles/2").json() == {"litres": 2.0}
    assert [is_made(route) for route in routes] == [True, False, False]


def test_paths_methods_and_bounds_are_those_of_the_signature() -> None:
    client = served()

    assert client.get("/v1/cellar/bottles/2?times=3").json() == {"litres": 6.0}
    assert client.get("/v1/cellar/bottles/2?times=0").status_code == 422
    assert client.get("/v1/cellar/bottles/two").status_code == 422
    assert client.put("/v1/cellar/bottles/2", json={"litres": 1.5}).status_code == 201
    assert client.put("/v1/cellar/bottles/2", json={"gallons": 1.5}).status_code == 422
    assert client.delete("/v1/cellar/bottles/2").status_code == 200
    assert client.post("/v1/cellar/bottles/2").status_code == 405
    assert client.get("/cellar/bottles/2").status_code == 404


def test_dependencies_of_whoever_takes_the_routes_come_before_the_endpoint() -> None:
    assert served(passed).get("/v1/cellar/bottles/2").json() == {"litres": 2.1}
    assert served().get("/v1/cellar/bottles/2").json() == {"litres": 2.0}


def test_their_document_is_that_of_a_router_that_is_included() -> None:
    included = FastAPI()
    included.include_router(declare(APIRouter(prefix="/cellar")), prefix="/v1")
    documents = [
        get_openapi(title="Cellar", version="1", routes=routes) for routes in (included.routes[4:], late(), late())
    ]
    assert set(documents[0]["paths"]) == {"/v1/cellar/bottles/{number}"}
    assert documents[0] == documents[1] == documents[2]


def test_threads_that_ask_for_a_route_at_once_get_one() -> None:
    together = Barrier(8)

    def ask(route: LateRoute) -> tuple[int, int]:
        together.wait(timeout=30)
        return id(route.dependant), id(route.app)

    with ThreadPoolExecutor(8) as threads:
        for _ in range(20):
            route = late()[1]
            assert len(set(threads.map(ask, [route] * 8))) == 1


def test_what_no_route_has_is_an_attribute_error() -> None:
    route = late()[0]

    assert getattr(route, "no_such_thing", None) is None
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = route.no_such_thing


def test_a_router_whose_routes_are_made_at_once_is_refused() -> None:
    with pytest.raises(TypeError, match="route_class=LateRoute"):
        list(routes_of(declare(APIRouter())))
