"""NF types that an operator registered: their program, their version, their assumed models."""

import pytest
from engine_fleets import NF_TYPES, chain, host, nf_type, numa_inventory, running, snapshot
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.plans.evidence import Algorithm, Solving
from sextant_domain.plans.intents import MigrateIntent, PlaceIntent, ReplaceIntent
from sextant_engine.check import check
from sextant_engine.parameters import assumed_models
from sextant_engine.plan import make_plan


def edge_firewall(version, size):
    """A firewall whose option `size` is another by default."""
    schema = nf_type("firewall").config_schema
    default = {"properties": {"size": {**schema["properties"]["size"], "default": size}}}
    return nf_type("edge-firewall").model_copy(
        update={"version": version, "implementation": "firewall", "config_schema": {**schema, **default}}
    )


def fleet(asked, chains=(), version=1, size=50):
    """One host of two nodes; the assumed models of every type, the registered one included."""
    types = (*NF_TYPES, edge_firewall(version, size))
    inventory = numa_inventory()
    models = assumed_models(inventory.host_model, nf_types=types)
    return snapshot([host(inventory, chains)], asked, models=models, nf_types=types)


def planned(given, intent):
    body = make_plan(given, intent, Solving(algorithm=Algorithm.BRUTE), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def nfs_of(body):
    return {nf.nf_id: nf for one in body.target[0].content.chains for nf in one.nfs}


def test_a_chain_gets_its_program_its_version_and_its_defaults_under_the_chains_overrides():
    asked = chain("web", "router", "edge-firewall", {"type": "edge-firewall", "name": "own", "config": {"size": 7}})
    nfs = nfs_of(planned(fleet([asked], version=3), PlaceIntent(chain="web")))
    first, own, router = nfs["web.edge-firewall"], nfs["web.own"], nfs["web.router"]
    assert (first.nf_type, first.runs, first.nf_version, first.config) == (
        "edge-firewall",
        "firewall",
        3,
        {"size": 50},
    )
    assert (own.runs, own.config) == ("firewall", {"size": 7})
    assert (router.implementation, router.runs) == (None, "router")


def ran_as_version_1():
    """The chain with its edge-firewall far from the router, as it was started with version 1 and its default of 20."""
    asked, inventory = chain("web", "router", "edge-firewall", rate=9.0), numa_inventory()
    there = running(asked, inventory, [(0, 0), (4, 0)])
    firewall = there.nfs[1].model_copy(update={"config": {"size": 20}, "implementation": "firewall"})
    return asked, there.model_copy(update={"nfs": (there.nfs[0], firewall)})


@pytest.mark.parametrize(
    "intent",
    [ReplaceIntent(), MigrateIntent(nf_id="web.edge-firewall", host="big-1", core=1)],
    ids=["replace", "migrate"],
)
def test_an_nf_that_runs_keeps_version_and_configuration_wherever_it_moves(intent):
    """Version 2 has another default. The firewall comes home to node 0 (9 Mpps offered, 6.56 carried on node 1) as
    what it was started as."""
    asked, there = ran_as_version_1()
    nf = nfs_of(planned(fleet([asked], [there], version=2), intent))["web.edge-firewall"]
    assert (nf.core, nf.nf_version, nf.config, nf.runs) == (1, 1, {"size": 20}, "firewall")


def test_a_chain_that_starts_beside_it_gets_the_new_version():
    asked, there = ran_as_version_1()
    late = chain("late", "edge-firewall")
    nfs = nfs_of(planned(fleet([asked, late], [there], version=2), PlaceIntent(chain="late")))
    assert (nfs["late.edge-firewall"].nf_version, nfs["late.edge-firewall"].config) == (2, {"size": 50})
    assert (nfs["web.edge-firewall"].nf_version, nfs["web.edge-firewall"].config) == (1, {"size": 20})


@pytest.mark.parametrize("other", [None, "router"])
def test_the_checker_refuses_another_program_than_the_types(other):
    given = fleet([chain("web", "edge-firewall")])
    body = planned(given, PlaceIntent(chain="web"))
    (one,) = body.target[0].content.chains
    nfs = tuple(nf.model_copy(update={"implementation": other}) for nf in one.nfs)
    content = body.target[0].content.model_copy(update={"chains": (one.model_copy(update={"nfs": nfs}),)})
    lie = body.model_copy(update={"target": (DesiredHostConfig.of(body.target[0].generation, content),)})
    (wrong,) = [finding for finding in check(lie, given) if finding.check == "nf-types"]
    assert not wrong.ok
    assert wrong.detail == (f"web.edge-firewall: runs {other or 'edge-firewall'}, but edge-firewall runs firewall")


def test_its_assumed_model_is_that_of_its_implementation():
    models = {model.nf_type: model for model in assumed_models("any", 20, (*NF_TYPES, edge_firewall(1, 50)))}
    assert models["edge-firewall"] == models["firewall"].model_copy(update={"nf_type": "edge-firewall"})
    assert list(models) == sorted(models)
    assert len(models) == len(assumed_models("any", 20)) + 1


def test_a_type_of_a_program_that_nobody_knows_has_no_model():
    stranger = edge_firewall(1, 50).model_copy(update={"implementation": "teleporter"})
    assert assumed_models("any", nf_types=[stranger]) == assumed_models("any")
