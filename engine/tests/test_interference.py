"""Who takes how much from whom, with the arithmetic written out."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from sextant_domain.profiling.model import DropCoefficients
from sextant_engine.interference import interference_of
from sextant_engine.parameters import assumed_models
from sextant_engine.planning.standing import standing

BIG = numa_inventory()


def beside(alpha, c=0.0):
    """Router beside nat on one node; a drop is alpha x what NFs beside weigh (1 / stalls) + c."""
    models = [
        model.model_copy(update={"stalls": 1.0, "local": DropCoefficients(alpha=alpha, beta=0.0, c=c)})
        for model in assumed_models("big-2x4")
    ]
    specs = [chain("web", "router"), chain("dmz", "nat")]
    runs = [running(spec, BIG, [(core, 0)]) for core, spec in enumerate(specs)]
    fleet = snapshot([host(BIG, runs)], specs, models=models)
    return interference_of(fleet, BIG.host_id, fleet.hosts[0].content)


def test_causes_add_up_to_what_is_lost():
    """The nat weighs 1: 0.2 x 1 + 0.1 of the router's 14 Mpps, 2.8 to the nat and 1.4 to the constant."""
    web = next(one for one in beside(alpha=0.2, c=0.1).victims if one.chain == "web")
    assert web.mpps == pytest.approx(14 - 4.2)
    assert [(one.nf_id, one.lost_mpps) for one in web.causes] == [
        ("dmz.nat", pytest.approx(2.8)),
        (None, pytest.approx(1.4)),
    ]


def test_no_nf_loses_more_than_it_has():
    """0.9 x 1 + 0.6 is 1.5 of 14 Mpps: all is lost, 0.9 / 1.5 of it to the nat, 8.4 Mpps, and 5.6 to the constant."""
    web = next(one for one in beside(alpha=0.9, c=0.6).victims if one.chain == "web")
    assert web.mpps == 0.0
    assert [one.lost_mpps for one in web.causes] == pytest.approx([8.4, 5.6])
    assert web.causes[0].llc_drop == pytest.approx(0.6)


def test_it_says_which_models_it_rests_on():
    """Of the NF types that run there; firewall has a model, and does not."""
    found = beside(alpha=0.2)
    assert [(one.nf_type, one.version) for one in found.models] == [("nat", "assumed-1"), ("router", "assumed-1")]


@pytest.mark.parametrize("c", [0.0, 0.05, 0.5])
def test_a_plan_lists_the_worst_three_of_all(c):
    """Five NFs beside the router, and the constant: whether that is the least of what it loses, or the most."""
    types = ["router", "nat", "firewall", "dpi", "nids", "basic-monitor"]
    models = [
        model.model_copy(update={"local": DropCoefficients(alpha=0.05, beta=0.0, c=c)})
        for model in assumed_models("big-2x8")
    ]
    wide = numa_inventory(cores=8)
    specs = [chain(f"c-{nf_type}", nf_type) for nf_type in types]
    runs = [running(spec, wide, [(core, 0)]) for core, spec in enumerate(specs)]
    fleet = snapshot([host(wide, runs)], specs, models=models)
    all_of = {one.nf_id: one.causes for one in interference_of(fleet, wide.host_id, fleet.hosts[0].content).victims}
    [router] = [nf for one in standing(fleet, [wide.host_id]) for nf in one.nfs if one.chain == "c-router"]
    neighbours = [one for one in all_of[router.nf_id] if one.kind != "fixed"]
    assert len(neighbours) == 5 and [one.kind for one in all_of[router.nf_id]].count("fixed") == (c > 0)
    assert list(router.worst) == neighbours[:3]
