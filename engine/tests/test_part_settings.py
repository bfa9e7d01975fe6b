"""What enters with the first part of a chain over several hosts passes all of them: all get its traffic, or none."""

import pytest
from engine_fleets import unable
from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.plans.intents import AdjustIntent, PlaceIntent
from sextant_domain.plans.settings_prediction import SettingsEffect
from sextant_engine.check import check
from sextant_engine.settings_prediction import predict_settings
from test_part_plans import PLACES, fleet, parts, placed, plan

FIRST, SECOND = parts()


def faster(**changes):
    traffic = FIRST.traffic.model_copy(update={"rate_mpps": 0.02, **changes})
    return FIRST.settings.model_copy(update={"traffic": traffic})


def adjust(settings, more=("web-part-2",), chain="web"):
    return AdjustIntent(chain=chain, settings=settings, more=more)


def differences(made):
    return [(one.host, one.chain, one.field, one.before, one.after) for one in made.adjustments]


def test_all_parts_get_the_rate_in_one_plan():
    made = plan(placed(), adjust(faster()))
    assert differences(made) == [
        ("lab-1", "web", "traffic.rate_mpps", "0.005", "0.02"),
        ("lab-2", "web-part-2", "traffic.rate_mpps", "0.005", "0.02"),
    ]
    assert [one.content.chains[0].traffic.rate_mpps for one in made.target] == [0.02, 0.02]
    assert made.changes == ()


def test_a_pause_is_of_all_parts_and_the_rest_of_each_its_own():
    """CPU shares of the first part's NFs are not those of the second's, whose NF is called alike."""
    nfs = {"router": FIRST.settings.nfs["router"].model_copy(update={"cpu_share": 300})}
    made = plan(placed(), adjust(FIRST.settings.model_copy(update={"paused": True, "nfs": nfs})))
    assert differences(made) == [
        ("lab-1", "web", "paused", "false", "true"),
        ("lab-2", "web-part-2", "paused", "false", "true"),
    ]
    assert [one.nf_id for one in made.changes] == ["web.router"]
    assert [nf.cpu_share for nf in made.target[1].content.chains[0].nfs] == [None, None]


def test_settings_of_one_parts_nfs_change_nothing_of_the_others():
    nfs = {"router": FIRST.settings.nfs["router"].model_copy(update={"cpu_share": 300})}
    made = plan(placed(), adjust(FIRST.settings.model_copy(update={"nfs": nfs}), more=()))
    assert [one.content.host_id for one in made.target] == ["lab-1"]


@pytest.mark.parametrize(
    ("intent", "reason"),
    [
        (adjust(faster(), more=()), "it is carried together with web-part-2, whose traffic would stay"),
        (
            adjust(SECOND.settings.of_whole(faster()), chain="web-part-2", more=()),
            "it is carried together with web, whose traffic would stay",
        ),
        (
            adjust(faster(), more=("web-part-2", "other")),
            "other would be changed with it, and is no part of the same chain",
        ),
    ],
)
def test_nothing_is_ordered_where_parts_would_bear_other_traffic(intent, reason):
    made = plan(placed(), intent)
    assert made.target == () and made.adjustments == ()
    assert made.rejected[0].reason == reason and made.rejected[0].relax


def test_packets_that_the_path_has_no_room_for_are_refused_with_the_sum():
    """Both NFs' hosts take 1600 bytes: 1500 - 14 + 56 + 16 for each of four segments make 1606."""
    narrow = {name: place.model_copy(update={"mtu": 1600}) for name, place in PLACES.items()}
    orders = {one.content.host_id: one.content.chains for one in plan(fleet(narrow)).target}
    given = fleet(narrow, running=orders)
    refused = plan(given, adjust(faster(packet_bytes=1500)))
    assert refused.target == ()
    assert refused.rejected[0].reason == (
        "its largest packets need an MTU of 1606 (1500 - 14 + 56 + 16 x 4), and on its path it is 1600"
    )
    assert len(plan(given, adjust(faster(packet_bytes=1494))).target) == 2


def test_where_one_host_cannot_do_it_all_parts_stay_as_they_are():
    given = placed()
    first, second = given.hosts
    second = second.model_copy(update={"inventory": unable(second.inventory, "pause", "a test says so")})
    made = plan(
        given.model_copy(update={"hosts": (first, second)}), adjust(FIRST.settings.model_copy(update={"paused": True}))
    )
    assert made.target == ()
    reason = "the chain runs on lab-2, which cannot do pause (a test says so)"
    assert [(one.chain, one.reason) for one in made.rejected] == [("web-part-2", reason)]


def test_parts_of_different_traffic_are_not_placed_and_adjusting_mends_it():
    slow, other = parts()
    fast = other.model_copy(update={"traffic": faster().traffic})
    made = plan(fleet(chains=[slow, fast]), PlaceIntent(chain="web", more=("web-part-2",)))
    assert made.target == ()
    reasons = {one.chain: (one.reason, one.relax) for one in made.rejected}
    assert reasons["web-part-2"] == (
        "it is part 2 of 2 of web, and its traffic is not that of web",
        "sextant chains adjust web gives all parts the same",
    )


def test_parts_that_differed_before_get_the_same_although_the_first_has_it_already():
    given = placed()
    first, second = given.hosts
    (chain,) = second.content.chains
    content = second.content.model_copy(update={"chains": (chain.model_copy(update={"traffic": faster().traffic}),)})
    given = given.model_copy(update={"hosts": (first, second.model_copy(update={"content": content}))})
    made = plan(given, adjust(FIRST.settings))
    assert differences(made) == [("lab-2", "web-part-2", "traffic.rate_mpps", "0.02", "0.005")]
    predicted = predict_settings(given, adjust(FIRST.settings), made)
    assert (predicted.effect, predicted.chain, predicted.host) == (SettingsEffect.HOSTS, "web-part-2", "lab-2")


def test_what_is_predicted_counts_no_part_among_the_others():
    given = placed()
    found = predict_settings(given, adjust(faster()), plan(given, adjust(faster())))
    assert (found.host, found.affected, found.others_mpps) == ("lab-1", (), 0.0)
    assert len(found.adjustments) == 2
    refused = predict_settings(given, adjust(faster(), more=()), plan(given, adjust(faster(), more=())))
    assert refused.rejected is not None and "whose traffic would stay" in refused.rejected.reason


def forged(made, **changes):
    """The plan with another second order."""
    content = made.target[1].content
    (chain,) = content.chains
    content = content.model_copy(update={"chains": (chain.model_copy(update=changes),)})
    target = DesiredHostConfig(generation=made.target[1].generation, digest=digest_of(content), content=content)
    return made.model_copy(update={"target": (made.target[0], target)})


@pytest.mark.parametrize(
    ("changes", "finding", "words"),
    [
        ({"traffic": FIRST.traffic}, "parts", "web-part-2: traffic and pause are not those of all parts of its chain"),
        ({"paused": True}, "parts", "web-part-2: traffic and pause are not those of all parts of its chain"),
        ({"traffic": FIRST.traffic}, "settings", "web-part-2 on lab-2: traffic and pause are not those of web"),
        ({"execution": "run-to-completion"}, "scope", "web-part-2 changes in more than its traffic and its pause"),
    ],
)
def test_the_checker_finds_parts_of_other_traffic(changes, finding, words):
    given = placed()
    made = forged(plan(given, adjust(faster())), **changes)
    found = {one.check: one for one in check(made, given)}
    assert not found[finding].ok and words in found[finding].detail, found


def test_the_checker_finds_packets_that_are_too_large_for_the_path():
    given = placed()
    large = [one.model_copy(update={"traffic": faster(packet_bytes=1500).traffic}) for one in parts()]
    made = plan(given, adjust(large[0].settings))
    narrow = [
        one.model_copy(update={"content": one.content.model_copy(update={"chains": tuple(
            chain.model_copy(update={"path": chain.path.model_copy(update={"mtu": 1500})})
            for chain in one.content.chains
        )})})
        for one in given.hosts
    ]  # fmt: skip
    spoilt = given.model_copy(update={"hosts": tuple(narrow)})
    target = [
        one.model_copy(update={"content": one.content.model_copy(update={"chains": tuple(
            chain.model_copy(update={"path": chain.path.model_copy(update={"mtu": 1500})})
            for chain in one.content.chains
        )})})
        for one in made.target
    ]  # fmt: skip
    found = {one.check: one for one in check(made.model_copy(update={"target": tuple(target)}), spoilt)}
    assert "web: packets of 1606 bytes do not pass 1500" in found["parts"].detail
