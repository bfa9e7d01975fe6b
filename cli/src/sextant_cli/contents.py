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
            "Check the data folder, the console, its database, queue and worker, the token and every host.",
            "doctor",
        ),
        "hosts": _of("hosts", "Hosts, who hurts whom on them, and which belong to the fleet."),
        "nfs": _of("nfs", "Placed NFs: where they stand, whether they run, what was measured.", "nfs"),
        "nf-types": _of(
            "nf_types", "NF types that a chain's `nfs` may name: built in, or registered with defaults of your own."
        ),
        "chains": _of("chains", "Service function chains."),
        "artefacts": _of(
            "artefacts", "Files that configurations name by digest: patterns, routes, rules, packet traces."
        ),
        "plans": _of("plans", "Proposed placements of the fleet."),
        "migrate": _of(
            "migrate", "Plan the move of one NF to another core, and apply it at once with --apply.", "migrate"
        ),
        "profile": _of("profile", "Measure NF types on hosts: jobs of designed points, and their records."),
        "models": _of("models", "Performance models that profiles were fitted to, and which of them plans use."),
        "recommendations": _of("recommendations", "Re-placements that pay: accept one, or dismiss it."),
        "policy": _of("policy", "How far re-placement may act by itself, and from which gain on."),
        "shadow": _of("shadow", "Other algorithms on the snapshots of plans, scored by what was measured later."),
        "trust": _of("trust", "How far each predictor is trusted, by what came of its predictions.", "trust"),
        "outcomes": _of(
            "trust",
            "Predictions beside what was measured once their plan was applied, newest first.",
            "outcomes",
        ),
        "compare": _of("compare", "Several algorithms side by side on one snapshot of a fleet."),
        "studies": _of("studies", "Lab studies: scenario files run on simulated servers."),
        "operations": _of("operations", "Work under way and done: applies, migrations, removals."),
        "fleet": _of("fleet", "The whole fleet."),
        "demo": _of(
            "demo",
            "Have more simulated hosts beside sim-1 to sim-4, with chains on them, or take them away without a trace.",
            "demo",
        ),
    }
)
