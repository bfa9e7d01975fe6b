"""The statements that roll up, built once from the table of kinds and levels. Each may run again: rows are equal."""

from functools import cache

from sqlalchemy import TextClause, text

from sextant_backend.modules.history.policy import LEVELS, Kind, Level

SHORT = 0.98
"""A throughput objective counts as met from here on, as on every page (chains/views.py)."""

_RANGE = "host_id = turn.host AND ts >= :since AND ts < :until"
"""Behind it, OFFSET 0 has the planner look up each host in the index, whatever it believes of the tables; behind the
samples of all hosts, it has the planner join objectives once and not once a host."""
_OBJECTIVES = f"""
    objectives AS MATERIALIZED (
        SELECT name, created_at AS since, coalesce(deleted_at, 'infinity') AS until,
            {SHORT} * CAST(spec->'slo'->>'min_throughput_mpps' AS float8) AS least,
            1000 * CAST(spec->'slo'->>'max_p95_ms' AS float8) AS most
        FROM chains
        WHERE (deleted_at IS NULL OR deleted_at > :since)
            AND num_nulls(spec->'slo'->>'min_throughput_mpps', spec->'slo'->>'max_p95_ms') < 2
    )"""  # noqa: S608 - a constant
_JUDGED = "NOT s.paused AND (o.least IS NOT NULL OR (o.most IS NOT NULL AND s.p95_us IS NOT NULL))"
_MISSED = "coalesce(s.delivered_mpps + s.filtered_mpps < o.least, false) OR coalesce(s.p95_us > o.most, false)"


@cache
def roll(kind: Kind, level: Level) -> TextClause:
    """Fill the level's intervals between `since` and `until` for these hosts, from the level before."""
    source = _from_samples(kind, level) if level is LEVELS[0] else _from_level(kind, level)
    columns = [name for name, _ in _columns(kind, level is LEVELS[0])]
    return text(source.replace("INSERT HERE", f"INSERT INTO {kind.table(level)} ({', '.join(columns)})"))


@cache
def clear(kind: Kind, level: Level) -> TextClause:
    """Remove what `roll` is about to write, where it was rolled up before."""
    return text(
        f"DELETE FROM {kind.table(level)}"  # noqa: S608 - as below
        " WHERE host_id = ANY(:hosts) AND ts >= :since AND ts < :until"
    )


NO_SORT = text("SET LOCAL enable_sort = off")
"""Groups are hashed: the planner expects few rows, and would sort them by names, which takes longer than the sums."""


def _from_samples(kind: Kind, level: Level) -> str:
    """A key that ran on two seats within an interval has a row for each."""
    columns = ", ".join(f"{value} AS {name}" for name, value in _columns(kind, samples=True))
    if not kind.objectives:
        return f"""INSERT HERE
            SELECT one.* FROM unnest(CAST(:hosts AS text[])) AS turn(host)
            CROSS JOIN LATERAL (
                SELECT {columns.replace(":length", _length(level)).replace("s.host_id", "turn.host")}
                FROM ({kind.samples.format(range=_RANGE)}) s
                GROUP BY {_groups(kind)}
            ) one"""  # noqa: S608 - names of the table of kinds
    return f"""{_with(kind)} INSERT HERE
        SELECT {columns.replace(":length", _length(level))}
        FROM (
            SELECT one.* FROM unnest(CAST(:hosts AS text[])) AS turn(host)
            CROSS JOIN LATERAL ({kind.samples.format(range=_RANGE)} OFFSET 0) one
            OFFSET 0
        ) s {_judging(kind)}
        GROUP BY {_groups(kind)}"""  # noqa: S608 - names of the table of kinds


def _from_level(kind: Kind, level: Level) -> str:
    below = LEVELS[LEVELS.index(level) - 1]
    columns = ", ".join(f"{value} AS {name}" for name, value in _columns(kind, samples=False))
    return f"""INSERT HERE
        SELECT {columns.replace(":length", _length(level))}
        FROM unnest(CAST(:hosts AS text[])) AS turn(host)
        CROSS JOIN LATERAL (
            SELECT * FROM {kind.table(below)} WHERE {_RANGE} OFFSET 0
        ) s
        GROUP BY {_groups(kind)}"""  # noqa: S608 - as above


def _with(kind: Kind) -> str:
    return f"WITH {_OBJECTIVES}" if kind.objectives else ""


def _judging(kind: Kind) -> str:
    on = "o.name = s.chain AND s.ts >= o.since AND s.ts < o.until"
    return f"LEFT JOIN objectives o ON {on}" if kind.objectives else ""


def _groups(kind: Kind) -> str:
    return ", ".join(str(number) for number in range(1, 3 + len(kind.key)))


def _length(level: Level) -> str:
    return f"interval '{level.length.total_seconds():.0f} s'"


def _columns(kind: Kind, samples: bool) -> list[tuple[str, str]]:
    """(column, expression over `s`): the grouped ones first."""
    found = [("ts", "date_bin(:length, s.ts, timestamptz 'epoch')"), ("host_id", "s.host_id")]
    found += [(part, f"s.{part}") for part in kind.key]
    return found + (_of_samples(kind) if samples else of_rows(kind))


def _of_samples(kind: Kind) -> list[tuple[str, str]]:
    found = [("samples", "count(*)"), ("intervals", "1"), ("simulated", "bool_or(s.simulated)")]
    if kind.objectives:
        found.append(("judged", f"count(*) FILTER (WHERE {_JUDGED})"))
        found.append(("met", f"count(*) FILTER (WHERE {_JUDGED} AND NOT ({_MISSED}))"))
    for figure in (*kind.figures, *kind.optional):
        counted = "count(*)" if figure in kind.figures else f"nullif(count(s.{figure}), 0)"
        found += [
            (f"{figure}_mean", f"sum(CAST(s.{figure} AS float8)) / {counted}"),
            (f"{figure}_min", f"min(s.{figure})"),
            (f"{figure}_max", f"max(s.{figure})"),
        ]
    return found + [(f"{figure}_n", f"count(s.{figure})") for figure in kind.optional]


def of_rows(kind: Kind) -> list[tuple[str, str]]:
    """Rows of a level together: means weighted by what they are of."""
    found = [("samples", "sum(s.samples)"), ("intervals", "sum(s.intervals)"), ("simulated", "bool_or(s.simulated)")]
    if kind.objectives:
        found += [("judged", "sum(s.judged)"), ("met", "sum(s.met)")]
    for figure in (*kind.figures, *kind.optional):
        weight = "samples" if figure in kind.figures else f"{figure}_n"
        found += [
            (f"{figure}_mean", f"sum(s.{figure}_mean * s.{weight}) / nullif(sum(s.{weight}), 0)"),
            (f"{figure}_min", f"min(s.{figure}_min)"),
            (f"{figure}_max", f"max(s.{figure}_max)"),
        ]
    return found + [(f"{figure}_n", f"sum(s.{figure}_n)") for figure in kind.optional]


_OF_ONE = {
    "chain": "s.chain = :name",
    "nf": "s.host_id = ANY(:hosts) AND s.nf_id = :name",
    "core": "s.host_id = ANY(:hosts) AND s.core = :core",
    "host": "s.host_id = ANY(:hosts)",
}
"""One chain, NF, core or host among the rows of a level, or among samples."""


@cache
def read(kind: Kind, levels: tuple[Level, ...]) -> TextClause:
    """Points of `:step` between `:start` and `:end` of one: from each level until how far it is (`:until_<level>`),
    from the next one what it does not have yet, from samples the rest."""
    since, parts, names = ":start", [], ", ".join(name for name, _ in _columns(kind, samples=True))
    for level in levels:
        until = f":until_{level.name}"
        where = f"{_OF_ONE[kind.name]} AND ts >= {since} AND ts < least({until}, :end)"
        parts.append(f"SELECT {names} FROM {kind.table(level)} s WHERE {where}")  # noqa: S608 - as above
        since = f"greatest(:start, {until})"
    columns = ", ".join(
        f"{value.replace(':length', ':inner')} AS {name}" for name, value in _columns(kind, samples=True)
    )
    samples = kind.samples.format(range=f"host_id = turn.host AND ts >= {since} AND ts < :end")
    parts.append(
        f"SELECT {columns} FROM unnest(CAST(:hosts AS text[])) AS turn(host)"  # noqa: S608 - as above
        f" CROSS JOIN LATERAL ({samples} OFFSET 0) s {_judging(kind)}"
        f" WHERE {_OF_ONE[kind.name]} GROUP BY {_groups(kind)}"
    )
    together = ", ".join(f"{value} AS {name}" for name, value in of_rows(kind))
    return text(
        f"{_with(kind)} SELECT date_bin(:step, s.ts, timestamptz 'epoch') AS at, {together}"  # noqa: S608 - as above
        f" FROM ({' UNION ALL '.join(parts)}) s GROUP BY 1 ORDER BY 1"
    )
