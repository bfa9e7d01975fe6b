"""Placements as OpenNetVM's start commands: a script, a group file, and what cannot be."""

import json
import shutil
import subprocess
from typing import Any

import pytest
from opennetvm_world import chain, content, group, machine, nf
from sextant_backend.modules.opennetvm.compatibility import express
from sextant_backend.modules.opennetvm.group_export import write_group
from sextant_backend.modules.opennetvm.shell_script import shell_script
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.opennetvm.programs import QUIET

WEB = chain("web", nf("web.fw", "firewall", 4), nf("web.scan", "nids", 5, patterns=["it's; rm -rf ~ & `id`"]))


def script(*chains: DesiredChain) -> str:
    starts, refusals, _ = express(content(*chains), machine())
    assert refusals == []
    return shell_script("host edge-1, generation 3", starts)


def two_at(port: str) -> tuple[DesiredChain, DesiredChain]:
    a, b = (chain(n, nf(f"{n}.f", "simple-forward", core), port=port) for n, core in (("a", 4), ("b", 5)))
    return a, b


def refusals(*chains: DesiredChain) -> list[tuple[str | None, str, str]]:
    starts, found, _ = express(content(*chains), machine())
    _, more, _ = write_group(starts)
    return [(one.nf_id, one.field, one.message) for one in (*found, *more)]


def test_nfs_start_from_the_last_on_their_cores() -> None:
    """Services 1 to 3: firewall, scan, and the way out beside the manager's first thread. NF cores 1, 4, 5: 0x32."""
    text = script(WEB)
    begun = [line for line in text.splitlines() if line.startswith("begin ")]
    same = '--base-virtaddr=0x7f000000000 --file-prefix=onvm-1 "--huge-dir=$HUGE_DIR"'
    assert begun[0] == (
        'begin "$RUN_DIR/1/manager" "$RUN_DIR/1/manager.pid" log "$MANAGER" --lcores 125@1,126@2,127@3 -n 4'
        f' --proc-type=primary {same} -m 2048 $EAL_1 -- -p "$PORTS_1" -n 32 -s web -v 3 -z 1'
    )
    head = 'begin "$RUN_DIR/1/{0}" "$RUN_DIR/1/pids" log "$ONVM_HOME/examples/{1}/build/app/{1}"'
    tail = f"-n 3 --proc-type=secondary {same} --no-pci --"
    assert begun[1:] == [
        f"{head.format(3, 'basic_monitor')} --lcores 1@1 {tail} -r 3 -m -s -- -p {QUIET}",
        f"{head.format(2, 'payload_scan')} --lcores 5@5 {tail} -r 2 -m -s -- -d 3 -p {QUIET} -i -s"
        """ 'it'"'"'s; rm -rf ~ & `id`'""",
        f"{head.format(1, 'firewall')} --lcores 4@4 {tail} -r 1 -m -s -- -d 2 -p {QUIET} -f rules.json",
    ]


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no sh here")
def test_a_shell_reads_the_script_without_a_complaint() -> None:
    checked = subprocess.run(["sh", "-n"], input=script(WEB).encode(), capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, b"")


def test_nfs_that_share_a_core_have_ids_of_their_own_and_are_pinned() -> None:
    shared = chain("web", nf("web.a", "simple-forward", 4), nf("web.b", "basic-monitor", 4))
    text = script(shared)
    assert "--lcores 64@4 " in text and "--lcores 4@4 " in text and '\npin "$!" 4\n' in text
    assert "--lcores 124@1,125@2,126@3,127@" in text and text.count(" -c\n") == 1
    assert refusals(shared) == [(None, "nfs", "two share core 4: go.sh cannot give them ids of their own")]


def test_a_group_has_the_same_nfs_and_their_files() -> None:
    starts, _, _ = express(content(WEB), machine())
    written, refused, manager = write_group(starts)
    read = json.loads(written.text())
    assert refused == []
    assert read["globals"] == [{"directory": "sextant-logs"}, {"sextant": {"1": "web.fw", "2": "web.scan", "3": None}}]
    assert {name: entries[0]["parameters"] for name, entries in read.items() if name != "globals"} == {
        "basic_monitor": f"-l1 -- -m -r 3 -s -- -p {QUIET}",
        "payload_scan": f"-l5 -- -m -r 2 -s -- -d 3 -p {QUIET} -i -s " + """'it'"'"'s; rm -rf ~ & `id`'""",
        "firewall": f"-l4 -- -m -r 1 -s -- -d 2 -p {QUIET} -f web.fw.rules.json",
    }
    assert written.files.keys() == {"firewall/web.fw.rules.json"}
    assert manager.startswith("./onvm_mgr --lcores 125@1,126@2,127@3 -n 4 ") and "--file-prefix=rte" in manager


@pytest.mark.parametrize(
    ("wanted", "nf_id", "field", "message"),
    [
        (nf("web.r", "router", 4), "web.r", "type", "OpenNetVM has no NF like 'router'"),
        (nf("web.f", "simple-forward", 4, loops=3), "web.f", "config.loops", "must be 0"),
        (nf("web.f", "firewall", 4, rules=[{"action": "deny"}]), "web.f", "config.rules.0", "names no src"),
        (nf("web.f", "firewall", 4, synthetic_rules=2000), "web.f", "config.rules", "OpenNetVM's firewall holds 1024"),
        (nf("web.n", "nids", 4, action="alert"), "web.n", "config.action", "knows no alert"),
        (nf("web.f", "simple-forward", 64), "web.f", "core", "is 64: OpenNetVM knows NF cores up to 63"),
    ],
)
def test_what_a_stock_nf_cannot_is_refused(wanted: Any, nf_id: str, field: str, message: str) -> None:
    [(found_nf, found_field, found)] = refusals(chain("web", wanted))
    assert (found_nf, found_field) == (nf_id, field) and message in found


def test_what_opennetvm_cannot_of_a_chain_is_refused_and_others_are_written() -> None:
    forward = nf("web.f", "simple-forward", 4)
    assert [field for _, field, _ in refusals(chain("web", forward, execution="run-to-completion"))] == ["execution"]
    paused = chain("web", forward).model_copy(update={"paused": True})
    assert [field for _, field, _ in refusals(paused)] == ["paused"]
    starts, [refused], _ = express(content(*two_at("west-0")), machine())
    assert [start.chain for start in starts] == ["a"]
    assert (refused.chain, refused.field) == ("b", "ingress.port") and "enter a" in refused.message
    starts, refused_now, _ = express(content(*two_at("src0")), machine())
    assert (len(starts), refused_now) == (2, []), "the testbed's source is no port of OpenNetVM"


def test_one_manager_of_a_host_lets_nfs_share_cores() -> None:
    def sharing(name: str, core: int) -> DesiredChain:
        return chain(name, *(nf(f"{name}.{n}", "simple-forward", core) for n in "xy"))

    _, [refused], _ = express(content(sharing("a", 4), sharing("b", 5)), machine())
    assert (refused.chain, refused.field) == ("b", "nfs") and "as those of a" in refused.message


def test_managers_get_the_cores_that_are_kept_for_them_then_free_ones() -> None:
    """Of cores 1 to 3 (kept), 6 and 7 (free) and 0 (the system's) the second has those left; 6 CPUs for two."""
    placed = [chain(name, nf(f"{name}.f", "simple-forward", core)) for name, core in (("a", 4), ("b", 5))]
    starts, _, notes = express(content(*placed), machine(8))
    assert [start.manager_cpus for start in starts] == [(1, 2, 3), (6, 7, 0)]
    assert notes == []
    starts, _, notes = express(content(*placed), machine(6))
    assert [start.manager_cpus for start in starts] == [(1, 2, 3), (0, 0, 0)]
    assert notes == ["b: too few cores are left for its manager, whose threads poll: 3 are wanted"]


def test_a_group_is_one_managers_with_31_services() -> None:
    """Chains of 16 and 15 NFs, each with a way out, have 17 + 16 = 33 services."""
    first = chain("a", *(nf(f"a.f{n}", "simple-forward", 4 + n) for n in range(16)))
    second = chain("b", *(nf(f"b.f{n}", "simple-forward", 20 + n) for n in range(15)))
    starts, found, _ = express(content(first, second), machine(48))
    _, [refused], _ = write_group(starts)
    assert found == [] and refused.group_only
    assert (refused.chain, refused.message) == (
        "b",
        "the group would have 33 services, with ways out: a manager has 31",
    )


def test_settings_that_the_kernel_keeps_are_noted() -> None:
    weighted = nf("web.f", "simple-forward", 4).model_copy(update={"cpu_share": 300, "llc_ways": 2})
    registered = nf("web.g", "basic-monitor", 5).model_copy(
        update={"nf_type": "tap", "implementation": "basic-monitor"}
    )
    _, found, notes = express(content(chain("web", weighted, registered)), machine())
    assert found == []
    assert notes == [
        "web.f: its CPU share and quota are the kernel's CPU groups' to keep, not OpenNetVM's",
        "web.f: its cache ways and memory bandwidth are resctrl's to keep, not OpenNetVM's",
        "web.g: is of type tap, and written as the basic-monitor that runs for it",
    ]


def test_an_empty_placement_is_an_empty_group() -> None:
    written, refused, manager = write_group([])
    assert (refused, manager) == ([], "")
    assert json.loads(written.text()).keys() == json.loads(group()).keys() | {"globals"}
