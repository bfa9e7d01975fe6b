"""A point as a request: cores, configurations, traffic."""

import subprocess
import sys

import pytest
from engine_profiles import NF_TYPES, catalogue_type, host, setting
from sextant_domain.profiling.job import ProfilingAsk
from sextant_domain.profiling.profile import ProfileMode
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.requests import CannotProfile, request_of

ASK = ProfilingAsk(
    nf_type="firewall", host="big-1", rate_mpps=10.0, flows=500, packet_bytes=128, seconds=0.5, max_samples=7
)


def requested(point, nf_types=NF_TYPES, busy=()):
    inventory = host()
    return request_of(point, ASK, inventory, free_cores(inventory, busy), nf_types)


def test_nfs_take_the_free_cores_of_their_nodes_in_order():
    """Node 0 has cores 6-11 free, node 1 cores 12-23; 7 runs an NF. The subject first, its chain, then the others."""
    point = setting("crossing", "simple-forward@1 firewall@0", "router@0 dpi@1 router@0")
    request = requested(point, busy={7})
    assert request.mode is ProfileMode.COLOCATION
    assert request.nf.core == 6
    assert [nf.core for nf in request.upstream] == [12]
    assert [(nf.nf_type, nf.core) for nf in request.others] == [("router", 8), ("dpi", 13), ("router", 9)]
    assert requested(point, busy={7}) == request


def test_an_nf_alone_is_measured_solo():
    request = requested(setting("ideal", "firewall@1"))
    assert (request.mode, request.nf.core, request.others) == (ProfileMode.SOLO, 12, ())
    assert (request.seconds, request.half_width_percent, request.max_samples) == (0.5, 1.0, 7)


def test_competitors_are_offered_a_rate_and_the_subject_takes_what_it_can():
    request = requested(setting("behind", "simple-forward@1 firewall@1", "router@1"))
    assert request.nf.traffic.rate_mpps is None
    assert request.upstream[0].traffic.rate_mpps is None
    assert request.others[0].traffic.rate_mpps == 10.0
    assert {(nf.traffic.flows, nf.traffic.packet_bytes) for nf in (request.nf, *request.others)} == {(500, 128)}


def test_bubbles_have_their_size_and_the_defaults_otherwise():
    """4096 KiB = 4,194,304 bytes."""
    request = requested(setting("sensitivity", "firewall@0", "bubble@0 bubble@0", bubble_kib=4096))
    assert [nf.config for nf in request.others] == [{"working_set_bytes": 4_194_304, "lines_per_packet": 16}] * 2


def test_the_reporter_reads_all_over_a_large_table():
    request = requested(setting("contentiousness", "basic-monitor@0", "firewall@0"))
    assert request.nf.config == {"flow_table_entries": 1_048_576}
    assert request.nf.traffic.flows == 1_000_000
    assert request.others[0].traffic.flows == 500
    plain = requested(setting("local", "basic-monitor@0", "firewall@0"))
    assert (plain.nf.config, plain.nf.traffic.flows) == ({"flow_table_entries": 65_536}, 500)


def test_a_registered_type_runs_its_implementation():
    types = NF_TYPES | {"edge": catalogue_type("edge", implementation="firewall", version=3)}
    nf = requested(setting("ideal", "edge@0"), types).nf
    assert (nf.nf_type, nf.nf_version, nf.runs) == ("edge", 3, "firewall")


@pytest.mark.parametrize(
    ("point", "says"),
    [
        (setting("ideal", "nope@0"), "there is no NF type 'nope'"),
        (setting("local", "firewall@0", " ".join(["router@0"] * 6)), "node 0 of big-1 has too few free cores"),
        (setting("ideal", "firewall@5"), "node 5 of big-1 has too few free cores"),
    ],
)
def test_a_point_that_does_not_fit_is_refused(point, says):
    with pytest.raises(CannotProfile, match=says):
        requested(point)


def test_what_serves_requests_loads_no_numpy():
    """Designs, requests and reading curves are for the API's process, which stays small."""
    loads = (
        "import sys, sextant_engine.profiling.design, sextant_engine.modelling.pressures; "
        "sys.exit(bool({'numpy', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", loads], check=False).returncode == 0
