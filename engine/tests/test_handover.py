"""Two hosts that exchange chains: one runs both meanwhile, at its place or a way station; or it is said what stops."""

from engine_fleets import chain, host, numa_inventory, running, snapshot
from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.plans.intents import RelocateIntent, RestoreIntent
from sextant_domain.plans.snapshot import Former
from sextant_engine.check import check
from sextant_engine.plan import make_plan

WEB, DNS = chain("web", "router", rate=2.0), chain("dns", "router")


def exchanged(cores, web_at=0, dns_at=0, more=()):
    """The snapshot and the plan that undoes an exchange: web runs on host b and goes to a, dns on a and goes to b, each
    to the core where it stood. Hosts have so many exclusive cores of one node; `more` are further chains of a."""
    a, b = (numa_inventory(name, nodes=1, cores=cores) for name in "ab")
    extra = [running(spec, a, [(core, 0)]) for spec, core in more]
    then = {"a": [running(WEB, a, [(web_at, 0)]), *extra], "b": [running(DNS, b, [(dns_at, 0)])]}
    now = {"a": [running(DNS, a, [(web_at, 0)]), *extra], "b": [running(WEB, b, [(dns_at, 0)])]}
    formers = tuple(
        Former(before=host(one, then[one.host_id]).content, after=host(one, now[one.host_id]).content) for one in (a, b)
    )
    hosts = [host(one, now[one.host_id], generation=4) for one in (a, b)]
    given = snapshot(hosts, [WEB, DNS, *(spec for spec, _ in more)]).model_copy(update={"former": formers})
    body = make_plan(given, RestoreIntent(operation_id=7), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [one for one in body.checks if not one.ok]
    return given, body


def seats(order):
    return {nf.nf_id: nf.core for chain in order.content.chains for nf in chain.nfs}


def test_one_host_runs_both_meanwhile_with_what_comes_at_a_way_station():
    """Both chains stand on core 0 of two; on a, web waits on core 1 until dns has gone."""
    _, body = exchanged(cores=2)
    assert body.handover is not None and body.handover.interrupts is None
    (between,) = body.handover.between
    assert (between.content.host_id, between.generation) == ("a", 5)
    assert seats(between) == {"dns.router": 0, "web.router": 1}
    assert {one.content.host_id: (one.generation, seats(one)) for one in body.target} == {
        "a": (6, {"web.router": 0}),
        "b": (5, {"dns.router": 0}),
    }


def test_a_host_where_nothing_is_in_the_way_is_taken_first():
    """a is full, so its chains have to go first; b has a free core for dns to wait on."""
    _, body = exchanged(cores=2, more=[(chain("full", "router"), 1)])
    assert body.handover is not None and body.handover.interrupts is None
    assert [(one.content.host_id, seats(one)) for one in body.handover.between] == [
        ("b", {"dns.router": 1, "web.router": 0})
    ]


def test_between_two_full_hosts_it_is_said_what_stops_and_how_long():
    """3 Mpps for 5500 ms are 16.5 million packets."""
    _, body = exchanged(cores=1)
    assert body.handover is not None and body.handover.between == ()
    loss = body.handover.interrupts
    assert loss is not None and loss.assumed
    assert [(one.chain, one.packets) for one in loss.chains] == [("dns", 5_500_000), ("web", 11_000_000)]
    assert (loss.packets, loss.pause_ms) == (16_500_000, 5500.0)
    assert [one.generation for one in body.target] == [5, 5]


def wrong(given, body, **changes):
    handover = body.handover.model_copy(update=changes)
    findings = check(body.model_copy(update={"handover": handover}), given)
    return " ".join(one.detail for one in findings if not one.ok)


def test_the_checker_refuses_a_circle_of_which_nothing_is_said():
    given, body = exchanged(cores=1)
    assert "a, b wait for each other, and nothing is said of it" in wrong(given, body, interrupts=None)
    less = body.handover.interrupts.model_copy(update={"pause_ms": 6000.0})
    assert "the loss of web is more than is said" in wrong(given, body, interrupts=less)


def test_the_checker_refuses_an_order_in_between_that_stops_or_doubles_something():
    given, body = exchanged(cores=2)
    (between,) = body.handover.between

    def with_chains(*chains):
        content = between.content.model_copy(update={"chains": chains})
        return (DesiredHostConfig(generation=5, digest=digest_of(content), content=content),)

    dns, web = between.content.chains
    assert "does not run exactly what it ran" in wrong(given, body, between=with_chains(web))
    at_once = web.model_copy(update={"nfs": tuple(nf.model_copy(update={"core": 0}) for nf in web.nfs)})
    assert "2 NFs on 1 slots" in wrong(given, body, between=with_chains(dns, at_once))
    slower = web.model_copy(update={"traffic": web.traffic.model_copy(update={"rate_mpps": 0.5})})
    assert "web does not come as it is to be" in wrong(given, body, between=with_chains(dns, slower))


# -- asked for by hand


def asked(cores, more=()):
    """web runs on host a and dns on b, each on core 0 of so many, and they are to change places."""
    a, b = (numa_inventory(name, nodes=1, cores=cores) for name in "ab")
    extra = [running(spec, b, [(core, 0)]) for spec, core in more]
    on_a, on_b = [running(WEB, a, [(0, 0)])], [running(DNS, b, [(0, 0)]), *extra]
    given = snapshot([host(a, on_a, generation=4), host(b, on_b, generation=7)], [WEB, DNS, *(one for one, _ in more)])
    body = make_plan(given, RelocateIntent(chain="web", host="b", exchange=("dns",)), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [one for one in body.checks if not one.ok]
    return given, body


def test_two_chains_change_places_where_one_host_has_room_for_both_meanwhile():
    """Two cores each: a runs web on core 0 and dns on core 1, then b takes web, and a has dns alone."""
    _, body = asked(cores=2)
    assert {nf.chain: nf.seat.host for nf in body.after} == {"web": "b", "dns": "a"}
    assert body.handover is not None and body.handover.interrupts is None
    (between,) = body.handover.between
    assert (between.content.host_id, between.generation, sorted(seats(between))) == (
        "a",
        5,
        ["dns.router", "web.router"],
    )
    assert {one.content.host_id: one.generation for one in body.target} == {"a": 6, "b": 8}
    assert {change.nf_id: change.reason.split("; ")[0] for change in body.changes} == {
        "dns.router": "ordered to a",
        "web.router": "ordered to b",
    }


def test_two_chains_that_fill_their_hosts_change_places_with_an_interruption_that_is_said():
    """One core each. 2 Mpps and 1 Mpps for 5500 ms are 11 and 5.5 million packets."""
    _, body = asked(cores=1)
    loss = body.handover.interrupts
    assert (body.handover.between, loss.packets) == ((), 16_500_000)


def test_a_chain_goes_in_exchange_only_from_the_host_that_is_named():
    given, _ = asked(cores=2)
    intent = RelocateIntent(chain="web", host="b", exchange=("mail",))
    nowhere = make_plan(given, intent, clock=lambda: 0.0)
    assert nowhere.changes == ()
    assert {one.chain: (one.reason, one.relax) for one in nowhere.rejected} == {
        "mail": ("the chain runs on no host", "place it instead"),
        "web": ("it changes places with mail, which cannot move", "exchange other chains, or move them one by one"),
    }


def test_where_one_finds_no_room_none_of_them_moves():
    """b has two cores; heavy runs on the other, so web with its three NFs does not fit though dns leaves."""
    a, b = (numa_inventory(name, nodes=1, cores=cores) for name, cores in (("a", 4), ("b", 2)))
    web, heavy = chain("web"), chain("heavy", "router")
    on_b = [running(DNS, b, [(0, 0)]), running(heavy, b, [(1, 0)])]
    given = snapshot([host(a, [running(web, a, [(0, 0), (1, 0), (2, 0)])]), host(b, on_b)], [web, DNS, heavy])
    body = make_plan(given, RelocateIntent(chain="web", host="b", exchange=("dns",)), clock=lambda: 0.0)
    assert (body.changes, body.target, body.handover) == ((), (), None)
    assert [one.chain for one in body.rejected] == ["web", "dns"]
    assert body.rejected[0].reason.endswith("; it stays on a")
    assert all(finding.ok for finding in body.checks)


def test_the_checker_refuses_that_another_chain_changes_places_than_was_asked():
    given, body = asked(cores=2)
    lie = body.model_copy(update={"intent": RelocateIntent(chain="web", host="b")})
    found = {one.check: one.detail for one in check(lie, given) if not one.ok}
    assert "chain dns does not move as the intent asks" in found["scope"]
