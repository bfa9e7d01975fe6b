"""`sextant audit`: filters as the console takes them, a table, its JSON, and CSV that no spreadsheet computes."""

import csv
import io
import json

from .answers import AUDIT

COMMAND = ("audit", "--actor", "ada", "--action", "chain", "--object-kind", "chain", "--object", "web")


def test_filters_are_the_consoles_query(sextant, console) -> None:
    times = ("--since", "2026-03-01T00:00:00Z", "--until", "2026-03-02T00:00:00Z")
    assert sextant(*COMMAND, "--actor-kind", "token", "--request", "r1", *times).exit_code == 0
    assert console.audit_asked == {
        "actor": "ada",
        "actor_kind": "token",
        "action": "chain",
        "object_kind": "chain",
        "object": "web",
        "request_id": "r1",
        "since": "2026-03-01T00:00:00Z",
        "until": "2026-03-02T00:00:00Z",
        "limit": "50",
    }


def test_a_row_names_actor_token_object_and_reason(sextant) -> None:
    header, first, second = sextant("audit").stdout.splitlines()
    assert header.split() == ["WHEN", "ACTOR", "ACTION", "OBJECT", "REASON", "REQUEST"]
    assert "ada (token laptop)" in first and "plan/12 (web)" in first
    assert "=HYPERLINK" in second and "unknown" in second


def test_json_is_the_consoles_own_answer(sextant) -> None:
    items = json.loads(sextant("audit", "list", "-o", "json").stdout)["items"]
    assert items == [one.model_dump(mode="json") for one in AUDIT]


def test_csv_has_a_line_each_and_no_formula(sextant) -> None:
    first, second = csv.DictReader(io.StringIO(sextant("audit", "-o", "csv").stdout))
    assert (first["id"], first["at"], first["token"]) == ("7", "2026-01-02T03:04:05Z", "laptop")
    assert json.loads(first["after"]) == {"rate_mpps": 0.9}
    assert (second["before"], second["after"]) == ("", "")
    assert second["object_id"].startswith("GET /"), "as it was asked for"
    assert second["reason"] == "'=HYPERLINK(1)"


def test_nothing_fits(sextant, console) -> None:
    console.audit = ()
    assert sextant("audit").stdout.strip() == "no entries"
