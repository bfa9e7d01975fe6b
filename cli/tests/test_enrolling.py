"""Which hosts belong to the fleet: tokens made, listed and taken back, hosts revoked and removed."""

import json

import pytest


def test_enrol_prints_the_command_alone_and_says_until_when(sextant, console) -> None:
    done = sextant("hosts", "enrol", "edge-7", "--label", "rack=r-12", "--lifetime", "60")
    assert done.exit_code == 0, done.stderr
    token = f"sxe_{'A' * 43}.{'B' * 43}"
    assert done.stdout == f"sextant-agent enrol --console https://192.0.2.1:8443 --token-file - <<< '{token}'\n"
    # made at 03:04:05, good for 60 s
    assert "run this on edge-7, before 03:05:05 UTC; it works once" in done.stderr
    assert (console.gate.asked[0].labels, console.gate.asked[0].count) == ({"rack": "r-12"}, None)


def test_a_token_for_several_hosts_is_printed_itself(sextant) -> None:
    done = sextant("hosts", "enrol", "demo-*", "--count", "20")
    assert done.stdout == f"sxf_{'A' * 43}.{'B' * 43}\n"
    assert "a token for 20 hosts at https://192.0.2.1:8443" in done.stderr


def test_a_console_that_hosts_cannot_reach_says_so_beside_the_command(sextant, console) -> None:
    assert "SEXTANT_FLEET_ADDRESS" not in sextant("hosts", "enrol", "edge-7").stderr
    console.gate.url = "https://127.0.0.1:41234"
    done = sextant("hosts", "enrol", "edge-7")
    assert done.stdout.startswith("sextant-agent enrol --console https://127.0.0.1:41234 ")
    warning = " ".join(done.stderr.split())
    assert "Only this machine can reach https://127.0.0.1:41234" in warning
    assert "make up SEXTANT_FLEET_ADDRESS=" in warning


def test_programs_get_the_answer_itself(sextant) -> None:
    made = json.loads(sextant("hosts", "enrol", "edge-7", "-o", "json").stdout)
    assert made["enrolment"]["host"] == "edge-7"


def test_tokens_that_wait_are_listed_and_can_be_taken_back(sextant) -> None:
    assert "no unused tokens" in sextant("hosts", "enrolments").stdout
    sextant("hosts", "enrol", "edge-7")
    row = sextant("hosts", "enrolments").stdout.splitlines()[1]
    assert row.split()[:4] == ["1", "edge-7", "1", "ada"]
    assert row.endswith("03:14:05 UTC")  # 10 minutes later
    assert "A" * 43 not in row
    assert sextant("hosts", "withdraw", "1").stdout == "token 1 was cancelled\n"
    assert sextant("hosts", "withdraw", "1").exit_code == 2


def test_labels_and_names_are_checked(sextant) -> None:
    for arguments in (("edge-7", "--label", "rack"), ("Edge_7",), ("demo-*",), ("edge-7", "--count", "2")):
        assert sextant("hosts", "enrol", *arguments).exit_code == 2


def test_a_host_is_revoked_with_a_reason(sextant, console) -> None:
    assert sextant("hosts", "revoke", "edge-1").exit_code == 2, "without a reason"
    done = sextant("hosts", "revoke", "edge-1", "--reason", "its disk was lost")
    assert done.stdout == (
        "edge-1: its certificates were revoked by ada: its disk was lost; to add it again: sextant hosts enrol edge-1\n"
    )


def test_a_host_is_removed_as_it_was_seen(sextant, console) -> None:
    done = sextant("hosts", "remove", "edge-1")
    assert done.stdout == (
        "edge-1 was deleted and its agent is no longer accepted; to add it again: sextant hosts enrol edge-1\n"
    ), done.stderr
    assert console.removed
    assert sextant("hosts", "remove", "edge-1").exit_code == 2, "there is none any more"


def test_several_hosts_are_removed_in_one_request(sextant, console) -> None:
    done = sextant("hosts", "remove", "edge-1", "edge-9")
    assert done.stdout == "edge-1 was deleted\n", "edge-9 was never there"
    assert console.removed
    done = sextant("hosts", "remove", "edge-1", "edge-9")
    assert done.stdout == "none of them was enrolled; nothing was deleted\n"


def test_a_host_that_runs_chains_is_not_removed(sextant, console, chain_file) -> None:
    assert sextant("chains", "submit", str(chain_file)).exit_code == 0
    done = sextant("hosts", "remove", "edge-1")
    assert done.exit_code == 4
    assert "edge-1 runs NFs of edge" in done.stderr
    assert not console.removed


def test_a_host_is_cordoned_with_a_reason_and_back_in_service(sextant, console) -> None:
    assert sextant("hosts", "cordon", "edge-1").exit_code == 2, "without a reason"
    done = sextant("hosts", "cordon", "edge-1", "--reason", "new memory")
    assert done.stdout == "edge-1 is cordoned by ada: new memory; to undo: sextant hosts uncordon edge-1\n", done.stderr
    listed = sextant("hosts").stdout
    assert "up, cordoned" in listed and "cordoned by ada: new memory" in listed
    assert sextant("hosts", "uncordon", "edge-1").stdout == "edge-1 is in service\n"
    assert "cordoned" not in sextant("hosts").stdout


def test_slots_of_a_core_are_set_with_who_stands_beyond_them_and_left_to_the_agent(
    sextant, console, chain_file
) -> None:
    """edge-1 has cores 0 (2 slots) and 1 (8); the NFs of chain edge stand in slots 0 to 2 of core 1."""
    assert sextant("chains", "submit", str(chain_file)).exit_code == 0
    for wrong in ("0", "65", "many", "1.5"):
        assert sextant("hosts", "slots", "edge-1", wrong, "--reason", "x").exit_code == 2, wrong
    done = sextant("hosts", "slots", "edge-1", "1", "--reason", "a core each")
    assert done.exit_code == 0, done.stderr
    assert console.slots == (1, "a core each")
    set_by, beyond = done.stdout.splitlines()
    assert set_by == "1 NF a core, set by ada: a core each"
    assert beyond.endswith("beyond the slots until moved; plan that with: sextant plans ask --host edge-1")
    shown = sextant("hosts", "edge-1").stdout
    assert set_by in shown and "3/1" in shown
    done = sextant("hosts", "slots", "edge-1", "default")
    assert (done.stdout, console.slots) == ("its agent determines how many NFs share a core: 2 or 8\n", None)


def test_cores_are_reserved_with_what_is_left_and_given_back(sextant, console, chain_file) -> None:
    """edge-1 has cores 0 and 1; the NFs of chain edge stand on core 1."""
    assert sextant("chains", "submit", str(chain_file)).exit_code == 0
    assert sextant("hosts", "reserve", "edge-1", "--cores", "1").exit_code == 2, "without a reason"
    done = sextant("hosts", "reserve", "edge-1", "--cores", "1", "--reason", "packet capture")
    assert done.exit_code == 0, done.stderr
    assert console.reserved == {1: "packet capture"}
    first, left, standing = done.stdout.splitlines()
    assert first == "core 1 is reserved by ada: packet capture"
    assert left == "1 of 2 cores are left for NFs: 0"
    assert standing.startswith("edge.") and standing.endswith(
        "on a reserved core until moved; plan that with: sextant plans ask --host edge-1"
    )
    assert "core 1 is reserved by ada: packet capture" in sextant("hosts", "edge-1").stdout
    done = sextant("hosts", "unreserve", "edge-1", "--cores", "0-3")
    assert (done.stdout, console.reserved) == ("2 of 2 cores are left for NFs: 0-1\n", {})
    assert "reserved" not in sextant("hosts", "edge-1").stdout


@pytest.mark.parametrize("cores", ["", "a", "3-", "-3", "5-3", "0-4096", "1,,2", "99999999999"])
def test_no_list_of_cores_is_refused_before_anything_is_asked(sextant, console, cores) -> None:
    done = sextant("hosts", "reserve", "edge-1", f"--cores={cores}", "--reason", "x")
    assert done.exit_code == 2
    assert "core" in done.stderr and console.reserved == {}


def test_a_host_is_renumbered(sextant) -> None:
    done = sextant("hosts", "renumber", "edge-1")
    assert done.exit_code == 0 and "the next plan applied there replaces what runs" in done.stdout, done.stderr
