"""The table of contents of the `sextant` command, in the order of its help."""

from collections.abc import Mapping
from types import MappingProxyType

from sextant_cli.lazy_group import Entry


def _of(module: str, help_line: str, attribute: str = "app") -> Entry:
    return Entry(f"sextant_cli.commands.{module}", help_line, attribute)


CONTENTS: Mapping[str, Entry] = MappingProxyType(
    {
        "doctor": _of(
            "doctor",
            "Check the data folder, console, database, queue, worker, token and every host.",
            "doctor",
        ),
        "hosts": _of("hosts", "Hosts, interference between their NFs, and enrolment."),
        "nfs": _of("nfs", "Placed NFs: core, state and measurements.", "nfs"),
        "nf-types": _of("nf_types", "NF types that chains can use: built in, or registered with your own defaults."),
        "chains": _of("chains", "Service function chains."),
        "artefacts": _of(
            "artefacts", "Files that NF configurations refer to by digest: patterns, routes, rules, packet traces."
        ),
        "plans": _of("plans", "Plans: proposed placements with their evidence."),
        "migrate": _of(
            "migrate", "Plan the move of one NF to another core, and apply it at once with --apply.", "migrate"
        ),
        "profile": _of("profile", "Profile NF types on hosts: jobs, their points and records."),
        "models": _of("models", "Performance models fitted from profiles, and which of them plans use."),
        "levels": _of("levels", "Levels: what each rate takes at least of cache and memory bandwidth."),
        "shares": _of("shares", "Shares: what part of a core an NF takes by its rate."),
        "recommendations": _of("recommendations", "Recommended changes of control laws: list, accept or dismiss."),
        "automation": _of("automation", "Control laws: what each does, and one switch that stops them all."),
        "numasfp": _of("numasfp", "NUMASFP's law: ways, bandwidth and nodes of chains as their traffic changes."),
        "coco": _of("coco", "CoCo's law: where NFs share cores and one grows, its neighbours are pushed aside."),
        "sfc2cpu": _of("sfc2cpu", "sfc2cpu: cores that several NFs share, and what their packets cost beside others."),
        "srv6": _of(
            "srv6",
            "SRv6-INT's global loop: chains in as many lanes as they need, by what packets measure of themselves.",
        ),
        "maintenance": _of("maintenance", "Maintenance windows: times in which no control law acts."),
        "policy": _of(
            "policy", "Whether a control law is manual, recommends or is automatic, for the fleet, a host or a chain."
        ),
        "races": _of("races", "Compare other algorithms in the background with the plans that were applied."),
        "trust": _of("trust", "How reliable each predictor has been, by NF type and host model.", "trust"),
        "outcomes": _of(
            "trust",
            "Predictions of applied plans beside their measurements, newest first.",
            "outcomes",
        ),
        "compare": _of("compare", "Compare algorithms side by side on one snapshot."),
        "studies": _of("studies", "Lab studies: scenario files run on simulated servers."),
        "operations": _of(
            "operations", "Operations: applies, migrations, removals and adjustments, running and finished."
        ),
        "audit": _of("audit", "The audit log: who did what, when, with before and after."),
        "alerts": _of("alerts", "Alerts: what is wrong now, who works on it, silences and rules."),
        "notifications": _of("notifications", "Where alerts are sent: webhooks, mail, and what was sent when."),
        "history": _of("history", "What was measured earlier: chains, hosts, NFs and cores over a range of time."),
        "metrics": _of("metrics", "The fleet's metrics as Prometheus reads them.", "metrics"),
        "users": _of("users", "Users of the console and their roles; for administrators."),
        "identity-provider": _of("identity_provider", "Sign-in by an OpenID Connect provider; for administrators."),
        "account": _of("account", "Your own account: sessions and password."),
        "tokens": _of("tokens", "Your own API tokens: list, create, revoke."),
        "fleet": _of("fleet", "The fleet as a file."),
        "completion": _of(
            "completion",
            "Print the script by which bash, zsh or fish completes commands, options and names.",
            "completion",
        ),
        "demo": _of(
            "demo",
            "Add simulated hosts beside sim-1 to sim-4, with chains on them, or remove them completely.",
            "demo",
        ),
    }
)

FORMER: Mapping[str, str] = MappingProxyType({"shadow": "sextant races"})
"""Names that commands had one release ago."""
