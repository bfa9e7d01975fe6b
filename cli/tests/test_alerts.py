"""`sextant alerts`."""

import json

from sextant_cli.errors import Exit


def test_alerts_are_listed_and_filtered(console, sextant) -> None:
    [_, line] = sextant("alerts").stdout.splitlines()
    assert " ".join(line.split()).startswith("3 critical firing chain web-edge web-edge misses its objective")
    done = sextant(
        "alerts", "list", "--state", "firing", "--severity", "critical", "--object", "web-edge", "-o", "json"
    )
    assert json.loads(done.stdout)["items"][0]["id"] == 3
    asked = console.alerts.asked
    assert (asked["state"], asked["severity"], asked["object_name"]) == ("firing", "critical", "web-edge")


def test_one_is_shown_with_cause_and_next_step(console, sextant) -> None:
    shown = sextant("alerts", "show", "3").stdout
    assert "critical firing: web-edge misses its objective" in shown
    assert "cause      On edge-1 it carries 0.10 Mpps" in shown
    assert "next step  sextant plans ask" in shown


def test_one_is_acknowledged_with_a_note(console, sextant) -> None:
    done = sextant("alerts", "ack", "3", "--note", "moving its nids")
    assert done.stdout == "alert 3 acknowledged: web-edge misses its objective\n"
    assert console.alerts.one.acknowledged.note == "moving its nids"
    assert "acknowledged by ada" in sextant("alerts", "show", "3").stdout


def test_a_silence_is_made_listed_and_ended(console, sextant) -> None:
    done = sextant(
        "alerts", "silence", "--kind", "slo_violated", "--object", "web-*", "--for", "90m", "--reason", "work"
    )
    assert done.stdout.startswith("silence 1: slo_violated web-* until ")
    [_, line] = sextant("alerts", "silences").stdout.splitlines()
    assert " ".join(line.split()).startswith("1 active slo_violated web-* ")
    assert sextant("alerts", "unsilence", "1").stdout == "silence 1 has ended: slo_violated web-*\n"
    assert "ended by ada" in sextant("alerts", "silences").stdout


def test_a_time_that_is_none_is_refused_before_anything_is_asked(console, sextant) -> None:
    done = sextant("alerts", "silence", "--kind", "host_stale", "--for", "tomorrow", "--reason", "work")
    assert done.exit_code == Exit.BAD_INPUT
    assert "write 30m, 2h or 3d" in done.output
    assert console.alerts.silences == []


def test_rules_are_listed_and_changed_in_part(console, sextant) -> None:
    [_, line] = sextant("alerts", "rules").stdout.splitlines()
    assert " ".join(line.split()).startswith("operation_failed yes critical 0 0 14400 ended_minutes=60 -")
    done = sextant("alerts", "set-rule", "operation_failed", "--severity", "warning", "--set", "ended_minutes=5")
    assert done.stdout == "operation_failed: on, warning\n"
    assert console.alerts.rule.parameters[0].value == 5
    assert sextant("alerts", "set-rule", "operation_failed", "--off").stdout == "operation_failed: off, warning\n"
    wrong = sextant("alerts", "set-rule", "operation_failed", "--set", "ended_minutes")
    assert wrong.exit_code == Exit.BAD_INPUT
