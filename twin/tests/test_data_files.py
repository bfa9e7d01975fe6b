"""Data files: every one loads and has sources; what is wrong with one is reported with its field."""

import json
import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sextant_twin import calibration, document, machines, nfs
from sextant_twin.errors import BadTwinInput

MACHINE = "xeon-gold-6126"
NF = "resq-snort"


def changed(folder: Path, name: str, path: str, value: object) -> dict[str, Any]:
    """A shipped file's tree with one leaf set, or removed by `...`."""
    tree = tomllib.loads((folder / f"{name}.toml").read_text())
    at: Any = tree
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in parents:
        at = at[part]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return tree


def leaves_of(tree: Any, path: str) -> Iterator[str]:
    """Paths of all values but names and summaries."""
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from leaves_of(value, f"{path}.{key}" if path else str(key))
    elif path.rpartition(".")[2] not in {"name", "summary"}:
        yield path


def refusal_of_machine(path: str, value: object) -> BadTwinInput:
    with pytest.raises(BadTwinInput) as caught:
        document.checked(machines.Machine, document.understood(changed(machines.FOLDER, MACHINE, path, value)).values)
    return caught.value


@pytest.mark.parametrize("name", machines.names())
def test_every_machine_loads_and_the_core_takes_only_numbers_in_base_units(name: str):
    core = machines.load(name).core(calibration.load())
    assert core["llc"]["bytes"] % (core["llc"]["ways"] * 64) == 0
    assert 1e-9 < core["llc"]["latency_s"] < core["memory"]["latency_s"] < 1e-6
    assert 1e9 < core["link"]["bandwidth_bytes_s"] < core["memory"]["bandwidth_bytes_s"] < 1e12


@pytest.mark.parametrize("name", nfs.names())
def test_every_nf_loads_alone_and_in_draws(name: str):
    assert nfs.load(name).core(compute_cycles=1.0)["compute_cycles"] == 1.0
    for seed in range(20):
        nfs.draw(name, random.Random(seed))


@pytest.mark.parametrize(
    "found",
    [
        *(pytest.param(machines.described(name), id=name) for name in machines.names()),
        *(pytest.param(nfs.described(name), id=name) for name in nfs.names()),
    ],
)
def test_every_value_has_a_source_and_every_prior_a_spread(found: document.Document):
    known = list(document.leaves(found))
    assert {path for path, _, _ in known} == set(leaves_of(found.values, ""))
    assert all(source.strip() for _, source, _ in known)
    assert all(spread is not None for _, source, spread in known if source == document.PRIOR)


@pytest.mark.parametrize(
    ("path", "value", "field", "cause"),
    [
        ("llc.size", 20185088, "llc.size", "has no unit"),
        ("llc.size", "-19712 KiB", "llc.size", "is negative"),
        ("llc.size", "19713 KiB", "llc", "11 ways of 1835008 B are not 20186112 B"),
        ("llc.way_size", "0.3 B", "llc.way_size", "is no whole number of bytes"),
        ("llc.ways", 0, "llc.ways", "greater than or equal to 1"),
        ("llc.ways", "11", "llc.ways", "valid integer"),
        ("llc.ddio_ways", 12, "llc", "ddio_ways: 12 of 11 ways"),
        ("llc.wais", 11, "llc.wais", "is unknown"),
        ("llc.latency", "23 MiB", "llc.latency", "no unit of time"),
        ("l2", ..., "l2", "is missing"),
        ("clock", "0 GHz", "clock", "greater than 0"),
        ("link.remote_latency", "50 ns", "(whole file)", "link.remote_latency: is below that of local memory"),
        ("nics.1.node", 2, "(whole file)", "nics.1.node: 2 of 2 nodes"),
        ("memory.generation", "zen", "memory.generation", "'haswell'"),
        ("memory.curve", "xeon-e5-2699-v4", "memory.curve", "'xeon-e5-2695-v4'"),
        ("nodes", 17, "nodes", "less than or equal to 16"),
        ("memory.latency", {"value": "82 ns", "source": "prior"}, "memory.latency", "a prior without a spread"),
        ("memory.latency", {"value": "82 ns", "source": " "}, "memory.latency.source", "must be a text"),
        ("memory.latency", {"value": "82 ns", "spread": 0.5}, "memory.latency.spread", "above 1 and at most 10"),
        ("memory.latency", {"value": "82 ns", "sauce": "x"}, "memory.latency.sauce", "is no key of a value"),
        ("memory.latency", {"value": "82 ns", "least": 1}, "memory.latency", "must be a number"),
        ("source", ..., "nodes", "has no source"),
    ],
)
def test_bad_data_of_a_machine_is_refused_by_its_field(path: str, value: object, field: str, cause: str):
    refused = refusal_of_machine(path, value)
    assert refused.field == field
    assert cause in refused.message


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("solo", ..., "(whole file)"),
        ("solo.frame", "63 B", "solo.frame"),
        ("streams.0.kind", "sequential", "streams.0.kind"),
        ("streams.0.accesses", -1.0, "streams.0.accesses"),
        ("streams.0.popularity.0.access_share", 0.5, "streams.0"),
        ("streams.0.mlp", 0.5, "streams.0.mlp"),
        ("streams.1.name", "rules", "(whole file)"),
        ("packet.payload_read", 1.5, "packet.payload_read"),
        ("passed", "all", "passed"),
    ],
)
def test_bad_data_of_an_nf_is_refused_by_its_field(path: str, value: object, field: str):
    with pytest.raises(BadTwinInput) as caught:
        document.checked(nfs.Nf, document.understood(changed(nfs.FOLDER, NF, path, value)).values)
    assert caught.value.field == field


@pytest.mark.parametrize("name", ["../calibration", "no-such", "", "XEON-GOLD-6126"])
def test_a_name_that_is_none_of_the_data_files_is_refused(name: str):
    with pytest.raises(BadTwinInput, match="is none of"):
        machines.load(name)


def test_a_file_under_another_name_than_its_own_is_refused(tmp_path: Path):
    (tmp_path / "copy.toml").write_text((machines.FOLDER / f"{MACHINE}.toml").read_text())
    with pytest.raises(BadTwinInput, match=f"its name is '{MACHINE}'"):
        document.Shelf("machine", tmp_path, machines.Machine).load("copy")


def test_what_is_no_toml_is_refused(tmp_path: Path):
    (tmp_path / "a.toml").write_bytes(b"\xff")
    with pytest.raises(BadTwinInput, match="is no TOML"):
        document.read(tmp_path / "a.toml")
    with pytest.raises(BadTwinInput, match="cannot be read"):
        document.read(tmp_path / "b.toml")


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path):
    (tmp_path / "a.toml").write_text("#" * (document.LARGEST_FILE + 1))
    with pytest.raises(BadTwinInput, match="the most is"):
        document.read(tmp_path / "a.toml")


def test_equal_seeds_draw_equal_machines_and_published_values_stay():
    first, second = (machines.draw(MACHINE, random.Random(7)) for _ in range(2))
    assert first == second
    other = machines.draw(MACHINE, random.Random(8))
    assert other.memory.latency != first.memory.latency
    assert other.llc.size == first.llc.size == 11 * 1792 * 1024


def test_nine_draws_of_ten_lie_within_the_spread():
    """100 ns, spread 1.5: 90 % between 66.7 and 150 ns; of 4000 draws 3600 +- 4 x 19 (sqrt(4000 x .9 x .1) = 19)."""
    found = document.understood({"latency": {"value": "100 ns", "source": "prior", "spread": 1.5}})
    generator = random.Random(1)
    drawn = [float(found.drawn(generator)["latency"].removesuffix(" ns")) for _ in range(4000)]
    assert abs(sum(100 / 1.5 <= each <= 150 for each in drawn) - 3600) <= 76


def test_draws_are_held_to_least_and_most():
    found = document.understood({"mlp": {"value": 1.5, "source": "prior", "spread": 4.0, "least": 1, "most": 2}})
    drawn = [found.drawn(random.Random(seed))["mlp"] for seed in range(100)]
    assert min(drawn) == 1
    assert max(drawn) == 2


def test_an_nf_whose_own_row_was_calibrated_on_has_its_state_as_fitted():
    fitted = calibration.FittedState(size=0, size_per_flow=200, mlp=3)
    known = calibration.load().model_copy(update={"nfs": {"resq-lpm": fitted}})
    stream = nfs.load("resq-lpm").fitted(known).streams[0]
    assert (stream.size_per_flow, stream.mlp) == (200, 3)
    assert nfs.load("resq-snort").fitted(known) == nfs.load("resq-snort")


def test_what_is_hot_of_an_automaton_is_fitted_too():
    """A twentieth of its lines instead of a tenth, with nine of ten accesses as before."""
    fitted = calibration.FittedState(size=4e6, size_per_flow=0, mlp=1, hot_lines_share=0.05)
    known = calibration.load().model_copy(update={"nfs": {"resq-snort": fitted}})
    classes = nfs.load("resq-snort").fitted(known).streams[0].popularity
    assert [(each.lines_share, each.access_share) for each in classes] == [(0.05, 0.9), (0.95, 0.1)]


def test_only_the_machine_that_a_curve_was_published_of_follows_it():
    fitted = calibration.load()
    own, sibling = (machines.load(name).core(fitted)["memory"] for name in ("xeon-e5-2695-v4", "xeon-e5-2650-v4"))
    assert own["curve"] == fitted.memory.curve["xeon-e5-2695-v4"].core()
    assert sibling["curve"] == fitted.memory.curve["haswell"].core() != own["curve"]
    assert own["bandwidth_bytes_s"] == sibling["bandwidth_bytes_s"]  # four channels of DDR4-2400 each, as Haswell's


def test_a_file_extends_another_one_by_what_differs():
    one, two = machines.load("epyc-7301-1p"), machines.load("epyc-7301")
    assert (one.nodes, two.nodes) == (4, 8)  # four dies a socket, one socket and two
    assert one.memory == two.memory and one.link == two.link and one.llc == two.llc


@pytest.mark.parametrize("base", ["epyc-9999", "../nfs/nat", 7, "chained", "itself"])
def test_what_no_file_can_extend_is_refused(base: object, tmp_path: Path):
    (tmp_path / "epyc-7301.toml").write_text('name = "epyc-7301"\n')
    (tmp_path / "chained.toml").write_text('name = "chained"\nextends = "epyc-7301"\n')
    (tmp_path / "itself.toml").write_text(f'name = "itself"\nextends = {json.dumps(base)}\n')
    with pytest.raises(BadTwinInput, match="extends"):
        document.read(tmp_path / "itself.toml")
