"""The bench of sfc2cpu's assigners on two real cores: what it draws, and what it makes of four runs. Nothing is run."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "dataplane"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "sfc2cpu"))

import compared
import mixes
import on_real_cores
import real_host
from compared import FullCore, NfTime, Ran
from mixes import REAL, MixedChain
from on_real_cores import Compared, RealStudy
from setting import NotMeasured
from sextant_backend.modules.nfs.catalogue import BY_NAME, config_errors
from sextant_cli.chain_file import load_chain


def test_a_mix_is_the_same_each_time_and_another_than_the_next() -> None:
    assert mixes.drawn(3) == mixes.drawn(3) != mixes.drawn(4)


@pytest.mark.parametrize("number", range(REAL["mixes"]))
def test_mixes_are_small_enough_that_all_assignments_are_tried(number: int) -> None:
    """Ten NFs of which five go to one core: 252 ways."""
    chains = mixes.drawn(number)
    assert 6 <= len(chains) <= 8
    assert all(1 <= len(set(chain.types)) == len(chain.types) <= 2 for chain in chains)
    assert sum(len(chain.types) for chain in chains) <= 10
    assert sum(chain.part for chain in chains) == pytest.approx(1)
    assert len({chain.name for chain in chains}) == len(chains)


def test_rates_ask_for_the_load_of_both_cores() -> None:
    """1.2 x 2 cores are 2.4 s a second: a quarter at 2 us a packet is .3 Mpps, three quarters at 1 + 3 us .45."""
    chains = [MixedChain("one", ("a",), 0.25), MixedChain("two", ("b", "c"), 0.75)]
    assert mixes.rates(chains, {"a": 2.0, "b": 1.0, "c": 3.0}, 1.2) == [0.3, 0.45]


def test_the_ideal_model_says_what_loads_alone_say() -> None:
    """A core of 2 us x .5 Mpps = 1 and one of 1 x .25 + 3 x .25 = 1: .97 of .75 Mpps. Where b joins a the cores are
    asked for 1.25 and .75, and both chains pass the first: .97 / 1.25 x .75."""
    chains = [MixedChain("one", ("a",), 0.5), MixedChain("two", ("b", "c"), 0.5)]
    mpps, alone = [0.5, 0.25], {"a": 2.0, "b": 1.0, "c": 3.0}
    even = {"one.a": 0, "two.b": 1, "two.c": 1}
    assert mixes.ideal_mpps(chains, mpps, alone, even) == pytest.approx(0.97 * 0.75)
    assert mixes.ideal_mpps(chains, mpps, alone, {**even, "two.b": 0}) == pytest.approx(0.97 / 1.25 * 0.75)


@pytest.mark.parametrize(("nfs", "wanted"), [(6, 3), (7, 4), (10, 5)])
def test_slots_leave_no_core_the_whole_mix(nfs: int, wanted: int) -> None:
    assert mixes.slots(nfs) == wanted


def test_costs_are_fitted_on_each_type_first_and_second_of_a_chain() -> None:
    chains = mixes.training()
    for position in (0, 1):
        assert sorted(chain.types[position] for chain in chains) == sorted(REAL["types"])
    assert sum(chain.part for chain in chains) == pytest.approx(1)


def test_placements_to_fit_on_are_halves_and_each_another_one() -> None:
    found = mixes.placements([f"t.{index}" for index in range(10)], 0, 1)
    assert len(found) == len({tuple(one.items()) for one in found}) == 10
    assert all(Counter(one.values()) == {0: 5, 1: 5} for one in found)
    assert found == mixes.placements([f"t.{index}" for index in range(10)], 0, 1)


def test_only_what_changes_its_core_moves() -> None:
    assert mixes.moves({"a": 0, "b": 1, "c": 1}, {"a": 1, "b": 0, "c": 1}) == {"a": 1, "b": 0}


def test_the_console_takes_the_types_and_the_chain_files(tmp_path: Path) -> None:
    for given in REAL["types"].values():
        assert not list(config_errors(BY_NAME[given["implementation"]], given["config"], "config"))
    file = tmp_path / "m0c0.yaml"
    file.write_text(real_host.chain_file(MixedChain("m0c0", ("bench-near", "bench-far"), 0.1), 0.25))
    [chain] = load_chain(str(file)).lanes
    assert [nf.name for nf in chain.nfs] == ["bench-near", "bench-far"]
    assert chain.share_bounds is not None
    assert (chain.traffic.rate_mpps, chain.ingress.host, chain.share_bounds.law) == (0.25, "edge-1", "rate-cost")


def test_what_changes_evenly_with_time_falls_out_of_a_b_b_a() -> None:
    """A carries 1.00 and B 1.10; a machine that becomes .02 slower from run to run leaves 1.00, 1.08, 1.06, .94: both
    are .03 less in the mean, and 2.14 / 1.94 is 10.3 % more."""
    assert compared.more_percent([1.0, 1.1, 1.1, 1.0]) == pytest.approx(10)
    assert compared.more_percent([1.0, 1.08, 1.06, 0.94]) == pytest.approx(100 * (2.14 / 1.94 - 1))
    assert compared.more_percent([1.0, 0.98, 0.96, 0.94]) == pytest.approx(0)


def test_delivered_is_the_sum_of_means_of_whole_seconds_of_the_run() -> None:
    """From 100 to 104 s: the second that ends at 100.5 began before. Means are 2 and .5."""
    one = [[at, 9.0, mpps] for at, mpps in ((100.5, 7.0), (101.5, 1.0), (102.5, 2.0), (103.5, 3.0), (104.5, 7.0))]
    two = [[at, 9.0, 0.5] for at in (101.2, 102.2, 103.2)]
    assert compared.delivered({"one": one, "two": two}, 100, 104, 2) == pytest.approx(2.5)
    assert compared.delivered({"one": one, "two": two[:1]}, 100, 104, 2) is None


def nf(name: str, position: int, *, core: int = 1, **sample: float) -> dict[str, Any]:
    """As the console says it of chain c."""
    return {"nf_id": f"c.{name}", "chain": "c", "position": position, "seat": {"core": core}, "sample": sample}


def test_what_arrives_for_an_nf_is_what_its_chain_is_offered_or_was_handed_on() -> None:
    """The first takes 40 and 60 % of the core for .2 and .3 Mpps: .5 / .25 is 2 us; it hands on .24 in the mean."""
    looks: Sequence[Sequence[Mapping[str, Any]]] = [
        [
            nf("a", 0, rx_mpps=0.2, tx_mpps=0.18, utilisation_percent=40, cpu_percent=50),
            nf("b", 1, core=0, rx_mpps=0.0, tx_mpps=0.0, utilisation_percent=0, cpu_percent=1),
        ],
        [nf("a", 0, rx_mpps=0.3, tx_mpps=0.3, utilisation_percent=60, cpu_percent=70), {**nf("b", 1), "sample": None}],
    ]
    first, second = compared.times(looks, {"c": 0.5})
    assert first == NfTime("c.a", 1, 60.0, 0.5, pytest.approx(2.0))
    assert second == NfTime("c.b", 0, 1.0, pytest.approx(0.24), None)


def test_points_between_time_and_rate_x_cost_of_a_full_core() -> None:
    """.3 Mpps x 2 us and .2 x 1 ask for 60 and 20 % of the core, three quarters and one; they got 42 and 18 % of it,
    which is 70 and 30 % of 60: 5 points."""
    nfs = [NfTime("a", 1, 42.0, 0.3, 2.0), NfTime("b", 1, 18.0, 0.2, 1.0)]
    assert compared.full_cores(nfs) == [FullCore(1, pytest.approx(5.0))]


@pytest.mark.parametrize(
    "nfs",
    [
        [NfTime("a", 1, 62.0, 0.3, 2.0), NfTime("b", 1, 18.0, 0.2, 1.0)],  # 80 % asked for and got
        [NfTime("a", 1, 42.0, 0.3, 2.0)],  # nobody to divide with
        [NfTime("a", 1, 42.0, 0.3, 2.0), NfTime("b", 0, 18.0, 0.9, 1.0)],  # nor on another core
        [NfTime("a", 1, 42.0, 0.3, 2.0), NfTime("b", 1, 18.0, 0.2, None)],  # a cost is not known
        [NfTime("a", 1, 0.0, 0.3, 2.0), NfTime("b", 1, 0.0, 0.2, 1.0)],  # nothing ran
    ],
)
def test_a_core_on_which_nobody_lacks_time_says_nothing(nfs: list[NfTime]) -> None:
    assert compared.full_cores(nfs) == []


def mix(number: int, *mpps: float, moved: int = 2, nfs: tuple[NfTime, ...] = (), why_not: str = "") -> Compared:
    runs = tuple(Ran(one, nfs) for one in mpps)
    return Compared(number, "lpt", [MixedChain("m", ("a", "b"), 1.0)], moved, runs, float(number), (0.5, 2.0), why_not)


def test_the_mean_is_of_mixes_that_are_placed_differently() -> None:
    """10 and 20 % more: 15, with a standard error of sqrt(50 / 2) = 5, x 1.96 = 9.8. By loads 0 and 2: 1 and 1.96."""
    found = [mix(0, 1.0, 1.1, 1.1, 1.0), mix(1, moved=0), mix(2, 1.0, 1.2, 1.2, 1.0), mix(3, why_not="refused")]
    assert on_real_cores.total("lpt", found) == (
        "| mean of 2, lpt | - | 1 of 4 mixes the same | - | - | +15.00 % (+5.20 to +24.80) | "
        "+1.00 % (-0.96 to +2.96) | - |"
    )
    assert "no interval" in on_real_cores.total("lpt", found[:2])
    assert on_real_cores.total("throughput", found).startswith("| mean of 0, throughput | - | 0 of 0 mixes")


def test_a_row_says_what_was_measured_or_why_nothing_was() -> None:
    assert on_real_cores.line(mix(0, 1.0, 1.1, 1.1, 1.0)) == (
        "| 0, lpt | 1, 2 | 2 of 2 | 1.0000, 1.0000 | 1.1000, 1.1000 | +10.00 % | +0.00 % | 0.5, 2.0 |"
    )
    assert "the same placement: nothing to compare" in on_real_cores.line(mix(1, moved=0))
    assert "not measured: refused" in on_real_cores.line(mix(3, moved=0, why_not="refused"))


def test_shares_are_judged_by_the_nf_that_is_furthest_off() -> None:
    full = [FullCore(0, 2.0), FullCore(1, 4.0), FullCore(1, 11.0)]
    assert on_real_cores.shares_line("0", full, 8) == "| 0 | 3 of 8 | 4.0 | 11.0 | **missed** |"
    assert on_real_cores.shares_line("0", full[:2], 8) == "| 0 | 2 of 8 | 3.0 | 4.0 | met |"
    assert on_real_cores.shares_line("0", [], 8) == "| 0 | 0 of 8 | - | - | no core was full |"


@pytest.mark.parametrize(
    ("name", "found", "wanted"),
    [
        ("os.geteuid", 1000, "CPU shares need root"),
        ("os.sched_getaffinity", {3}, "this process may use one"),
        ("why_no_dataplane", "meson missing", "processes no packets: meson missing"),
    ],
)
def test_a_machine_that_cannot_is_told_why(
    monkeypatch: pytest.MonkeyPatch, name: str, found: object, wanted: str
) -> None:
    able = {"os.geteuid": 0, "os.sched_getaffinity": {0, 1}, "why_no_dataplane": None, name: found}
    for what, answer in able.items():
        monkeypatch.setattr(f"real_host.{what}", lambda *_, answer=answer, **__: answer)
    with pytest.raises(NotMeasured, match=wanted), real_host.real_host():
        raise AssertionError("nothing is started")
    study = RealStudy(quick=True)
    assert list(study.table())[-1].startswith("Not measured: ")
    assert list(study.shares()) == [list(study.table())[-1]]


class FakeHost:
    """Delivers as much as is said of each placement, and a little less from run to run."""

    def __init__(self, mpps: Mapping[str, float], at: Mapping[str, Mapping[str, int]]) -> None:
        self.mpps, self.at, self.stood = mpps, at, list[str]()
        self.cleared = False

    def plans(self, _chains: object, assigners: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        return {name: self.at[name] for name in assigners}

    def ideal_mpps(self, _chains: object, _at: object) -> float:
        return 1.0

    def stand(self, wanted: Mapping[str, int]) -> None:
        self.stood.append(next(name for name, at in self.at.items() if at == wanted))

    def run(self, _chains: object) -> Ran:
        return Ran(self.mpps[self.stood[-1]] - 0.01 * len(self.stood), ())

    def clear(self) -> None:
        self.cleared = True


def test_each_mix_is_run_in_the_order_a_b_b_a_and_taken_away() -> None:
    """1.01 and 1.21 less .01 a run: 1.00, 1.19, 1.18, .97 and 2.37 / 1.97. Beside `throughput` nothing differs."""
    at = {"lpt": {"a": 0, "b": 1}, "calibrated": {"a": 1, "b": 0}, "throughput": {"a": 1, "b": 0}}
    host = FakeHost({"lpt": 1.01, "calibrated": 1.21}, at)
    first, second = on_real_cores._compared(host, 0, ["lpt", "throughput"])  # type: ignore[arg-type]
    assert host.stood == ["lpt", "calibrated", "calibrated", "lpt"]
    assert host.cleared
    assert (first.beside, first.moved, first.more) == ("lpt", 2, pytest.approx(100 * (2.37 / 1.97 - 1)))
    assert (second.beside, second.moved, second.runs) == ("throughput", 0, ())
