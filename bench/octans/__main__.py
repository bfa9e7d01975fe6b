"""`make bench-octans`: the figures of Octans' Sec. VI on the twin, and what this machine can measure.

Nothing is asserted. Settings were committed before the first run (settings.toml). With --write the tables replace
those in docs/octans.md.
"""

import argparse
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: CPU times are of one thread

import chosen
import console
import goals
import metric
import page
import placement
import prediction
import real
import setting
import why
from sextant_lab.origin import origin_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "octans.md"
Tables = Iterator[tuple[str, Iterator[str]]]


def main() -> None:
    """Each table, line by line as it is made."""
    parts: dict[str, Callable[[], Tables]] = {
        "figure-2": _figure_2,
        "figure-4-5": _figures_4_and_5,
        "figure-7": _figure_7,
        "why": _why,
        "figure-8": _figure_8,
        "placement": _placement,
        "goals": _goals,
        "console": _console,
        "real": _real,
    }
    parser = argparse.ArgumentParser(prog="make bench-octans BENCH=", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=tuple(parts), action="append", help="these tables; more than once: several")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/octans.md")
    options = parser.parse_args()
    for name, part in {"origin": _origin, **parts}.items():
        if name == "origin" or not options.only or name in options.only:
            for table, lines in part():
                made = list(page.shown(f"octans-{table}", lines))
                if options.write:
                    page.write(PAGE, f"octans-{table}", made)


def _origin() -> Tables:
    yield "origin", _hashes()


def _hashes() -> Iterator[str]:
    origin = origin_of(setting.study("figure-7b", "prediction", prediction.sets_of("figure-7b")))
    yield from page.head("what", "sha256")
    yield page.line("settings.toml", hashlib.sha256(setting.FILE.read_bytes()).hexdigest()[:16])
    yield page.line("machines and NFs of the twin", origin.data)
    yield page.line("calibration of the twin", origin.calibration)


def _figure_2() -> Tables:
    yield "figure-2", placement.worst()


def _figures_4_and_5() -> Tables:
    at_centre, drawn = metric.selections([None], setting.SEEDS), metric.selections(setting.DRAWS, setting.SEEDS[:1])
    yield "figure-4", metric.requirements(at_centre, drawn)
    server = setting.bare()
    yield "figure-4a", metric.stability(server)
    yield "figure-5", metric.drops(server)


def _figure_7() -> Tables:
    yield "figure-7a", prediction.beside_a_stranger()
    for figure, column in (("7b", "chain"), ("7c", "chain"), ("7d", "chains")):
        at_centre, drawn = prediction.chains(f"figure-{figure}", prediction.sets_of(f"figure-{figure}"))
        yield f"figure-{figure}", prediction.by_predictor(at_centre, drawn, _published(figure))
        yield f"figure-{figure}-sets", prediction.by_set(at_centre, column)


def _why() -> Tables:
    yield "why", why.apart()


def _published(figure: str) -> str:
    given = setting.GIVEN[f"figure-{figure}"]
    if figure == "7b":
        return f"{given['published_percent']} % in the mean, {given['published_worst_percent']} % at worst"
    low, high = given["published_percent"]
    return f"{low} to {high} %"


def _figure_8() -> Tables:
    at_centre, drawn = placement.gains()
    yield "figure-8", placement.gains_altogether(at_centre, drawn)
    yield "figure-8-sets", placement.gains_by_set(at_centre)


def _placement() -> Tables:
    cases = chosen.cases()
    yield "placement", chosen.goals(cases)
    yield "placement-ways", chosen.ways(cases)
    yield "placement-sets", chosen.worst(cases)


def _goals() -> Tables:
    yield "speed", goals.speed()
    yield "accuracy", goals.accuracy()


def _console() -> Tables:
    yield "console", console.profiled()


def _real() -> Tables:
    yield from real.tables()


if __name__ == "__main__":
    main()
