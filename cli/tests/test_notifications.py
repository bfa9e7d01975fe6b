"""`sextant notifications`."""

from sextant_cli.errors import Exit

URL = "https://hooks.example.org/services/T00"


def test_a_webhook_is_added_and_its_secret_is_printed_alone(console, sextant) -> None:
    done = sextant("notifications", "add-webhook", "ops", URL, "--least-severity", "critical", "--no-resolved")
    assert done.stdout == "whsec_made\n"
    created = console.notifications.created
    assert created["target"] == {"kind": "webhook", "url": URL}
    assert (created["least_severity"], created["send_resolved"]) == ("critical", False)
    [_, line] = sextant("notifications").stdout.splitlines()
    assert " ".join(line.split()).startswith("ops webhook yes https://hooks.example.org/… critical no -")


def test_secret_and_password_come_from_files(console, sextant, tmp_path) -> None:
    file = tmp_path / "secret"
    file.write_text("a-secret-of-sixteen-and-more\n")
    done = sextant("notifications", "add-webhook", "ops", URL, "--secret-file", str(file))
    assert done.stdout == ""
    assert console.notifications.created["target"]["secret"] == "a-secret-of-sixteen-and-more"
    console.notifications.channels.clear()
    mail = ("--server", "mail.example.org", "--from", "sextant@example.org", "--to", "noc@example.org")
    done = sextant("notifications", "add-email", "noc", *mail, "--user", "sextant", "--password-file", str(file))
    assert done.exit_code == 0, done.output
    assert console.notifications.created["target"]["password"] == "a-secret-of-sixteen-and-more"
    missing = sextant("notifications", "add-webhook", "ops", URL, "--secret-file", str(tmp_path / "none"))
    assert missing.exit_code == Exit.BAD_INPUT


def test_a_channel_is_changed_tested_signed_anew_and_removed_by_its_name(console, sextant) -> None:
    sextant("notifications", "add-webhook", "ops", URL)
    done = sextant("notifications", "set", "ops", "--off", "--least-severity", "info")
    assert done.stdout == "ops: off, from info on, https://hooks.example.org/…\n"
    assert sextant("notifications", "new-secret", "ops").stdout == "whsec_other\n"
    assert sextant("notifications", "test", "ops").stdout == "message 9 is on its way to ops\n"
    unknown = sextant("notifications", "test", "other")
    assert unknown.exit_code == Exit.BAD_INPUT
    assert "other; there are: ops" in unknown.output
    assert sextant("notifications", "remove", "ops").stdout == "channel ops deleted\n"
    assert console.notifications.channels == []


def test_messages_are_listed_with_every_attempt(console, sextant) -> None:
    [_, line] = sextant("notifications", "deliveries", "--alert", "3", "--channel", "ops").stdout.splitlines()
    found = " ".join(line.split())
    assert found.startswith("9 ops alert.fired delivered 3 ")
    assert found.endswith("500 204 -")
    assert (console.notifications.asked["alert"], console.notifications.asked["channel"]) == ("3", "ops")


def test_private_networks_are_shown_and_allowed(console, sextant) -> None:
    assert sextant("notifications", "allow").stdout == "allowed private networks: none\n"
    assert sextant("notifications", "allow", "10.20.0.0/16").stdout == "allowed private networks: 10.20.0.0/16\n"
    assert sextant("notifications", "allow", "--none").stdout == "allowed private networks: none\n"
