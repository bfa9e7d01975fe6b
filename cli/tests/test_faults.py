"""Faults on simulated hosts: ordered, listed, and what cannot be asked for."""

import json


def test_faults_are_ordered_and_shown_until_they_are_over(sextant, console) -> None:
    assert "no active faults" in sextant("hosts", "fault", "list", "edge-1").stdout
    assert sextant("hosts", "fault", "crash", "edge-1", "web.router").exit_code == 0
    sextant("hosts", "fault", "nic", "edge-1", "--seconds", "5")
    sextant("hosts", "fault", "down", "edge-1")
    done = sextant("hosts", "fault", "noise", "edge-1", "--core", "7", "--core", "8", "--resource", "memory")
    # ordered at 03:04:05: the link is back 5 s later, the power and the quiet 30 s later
    assert [line.split("UTC  ", 1)[1].rstrip() for line in done.stdout.splitlines()[1:]] == [
        "until it is restarted  web.router crashed",
        "03:04:10 UTC           nic0 has no link",
        "03:04:35 UTC           the host has no power",
        "03:04:35 UTC           programs on 7, 8 load the memory",
    ]
    assert console.faults[3].fault.cores == (7, 8)


def test_programs_get_the_answer_itself(sextant) -> None:
    made = json.loads(sextant("hosts", "fault", "crash", "edge-1", "web.router", "-o", "json").stdout)
    assert made["faults"][0]["fault"] == {"kind": "nf-crash", "nf_id": "web.router"}


def test_what_cannot_be_is_refused(sextant) -> None:
    for arguments in (("nic", "edge-1", "--seconds", "0"), ("noise", "edge-1"), ("crash", "edge-1")):
        assert sextant("hosts", "fault", *arguments).exit_code == 2
