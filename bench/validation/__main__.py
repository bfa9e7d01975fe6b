"""`make bench-validation`: the twin beside published measurements; nothing is asserted.

--calibrate fits what is free on the rows marked C and writes the twin's calibration.toml. Without it the rows that were
held out are run over the spread of all priors (seeded), and with --write the tables replace those in docs/twin.md.
Calibration is committed before a held-out row is run, and what a held-out row shows changes no parameter.
"""

import argparse
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import ages
import calibrate
import page
import pools
import report
import rows
from measures import measured
from report import Found
from sextant_twin import calibration
from sextant_twin.machines import FOLDER as MACHINES
from sextant_twin.nfs import FOLDER as NFS
from sextant_twin.world import TwinWorld
from world import TALLY

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "twin.md"
DRAWS = 100


def main() -> None:
    """Calibrates, or prints every table."""
    parser = argparse.ArgumentParser(prog="make bench-validation BENCH=", description=__doc__.splitlines()[0])
    parser.add_argument("--calibrate", action="store_true", help="fit on the rows marked C and write calibration.toml")
    parser.add_argument("--calibrated", action="store_true", help="the rows marked C only; no held-out row is run")
    parser.add_argument("--draws", type=int, default=DRAWS, help=f"draws of the priors (default {DRAWS})")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/twin.md")
    options = parser.parse_args()
    if not 1 <= options.draws <= 10_000:
        parser.error("--draws: 1 to 10000")
    known = rows.load()
    if options.calibrate:
        found = calibrate.calibrated(known)
        calibration.FILE.write_text(calibrate.written(found))
        print(f"{calibration.FILE.name}: sha256 {calibration.digest()}")
        return
    for name, lines in _tables(known, options.draws, held_out=not options.calibrated):
        made = list(page.shown(name, lines))
        if options.write:
            page.write(PAGE, name, made)


def _tables(known: list[rows.PublishedSeries], draws: int, *, held_out: bool) -> Iterator[tuple[str, Iterator[str]]]:
    fitted = calibration.load()
    centre = TwinWorld(fitted)
    yield "twin-hashes", _hashes()
    calibrated = [Found(row, [measured(row, centre)]) for row in known if row.use == "C"]
    yield "twin-calibrated", report.calibrated(calibrated)
    yield "twin-ages", ages.fitted(next(row for row in known if row.name == "resq-ways-snort"))
    yield "twin-pools", pools.cost(centre)
    if not held_out:
        return
    began = time.process_time()
    worlds = [TwinWorld(fitted, seed) for seed in range(draws)]
    found = [
        Found(row, [measured(row, world) for world in worlds], report.residual(row, calibrated))
        for row in known
        if row.use == "V"
    ]
    print(f"\n{time.process_time() - began:.0f} s of CPU")
    yield "twin-held-out", report.held_out(found, known, _summary(found, known, draws))
    yield "twin-goals", report.goals(found, known)
    yield "twin-nulls", report.null_models(found, known)
    yield "twin-reasons", report.reasons(found)


def _summary(found: list[Found], known: list[rows.PublishedSeries], draws: int) -> str:
    passed = sum(report.passes(each) for each in found if report.predictable(each, known))
    settings, unsettled = TALLY["settings"], TALLY["unsettled"]
    return (
        "Not blind: inputs were corrected after runs 1 to 3 were seen, and rows moved to C after run 5."
        f" {passed} of {len(found)} rows pass. {draws} draws, {settings:,} steady states; {unsettled:,} had not settled"
        " when their rounds ended."
    )


def _hashes() -> Iterator[str]:
    yield from page.head("what", "sha256")
    yield page.line("calibration.toml", calibration.digest()[:16])
    yield page.line("machines and NFs", _digest(sorted(MACHINES.glob("*.toml")) + sorted(NFS.glob("*.toml"))))
    yield page.line("rows.toml", _digest([rows.FILE]))


def _digest(paths: list[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


if __name__ == "__main__":
    main()
