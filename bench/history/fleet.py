"""A fleet's samples, made by the database itself."""

from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.orm import Session


@dataclass(frozen=True)
class Fleet:
    """How large it is."""

    hosts: int
    chains: int
    """Of a host, as the next two."""
    nfs: int
    cores: int


_AT = "CAST(:begin AS timestamptz) + s * interval '1 s'"
_ALL = "generate_series(0, :seconds - 1) s, generate_series(1, :hosts) h"
_SEED = (
    """INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        SELECT 'host-' || h, '{}', 'up', '', '{}', 0, '', 1 FROM generate_series(1, :hosts) h""",
    """INSERT INTO latest_hosts (host_id, heard_at, applied_generation, cores, rolled_until)
        SELECT 'host-' || h, now(), 0, '[]', :begin FROM generate_series(1, :hosts) h""",
    """INSERT INTO chains (name, spec, state, created_at, created_by, version)
        SELECT 'chain-' || h || '-' || c, '{"slo": {"min_throughput_mpps": 0.5, "max_p95_ms": 1}}', 'running', :begin,
            'bench', 1
        FROM generate_series(1, :hosts) h, generate_series(1, :chains) c""",
    f"""INSERT INTO chain_samples (ts, host_id, chain, offered_mpps, delivered_mpps, drop_mpps, filtered_mpps, p50_us,
            p95_us, p99_us, p999_us, delivered_gbps)
        SELECT {_AT}, 'host-' || h, 'chain-' || h || '-' || c, random(), random(), random(), 0, 10, 50 * random(), 90,
            120, random()
        FROM {_ALL}, generate_series(1, :chains) c ORDER BY s, h""",
    f"""INSERT INTO nf_samples (ts, host_id, nf_id, core, rx_mpps, tx_mpps, drop_mpps, filtered_mpps, cpu_percent,
            utilisation_percent, headroom_mpps)
        SELECT {_AT}, 'host-' || h, 'chain-' || h || '-' || n % :chains || '.nf-' || n, n, random(), random(), 0, 0,
            100, 60 * random(), 1
        FROM {_ALL}, generate_series(1, :nfs) n ORDER BY s, h""",
    f"""INSERT INTO core_samples (ts, host_id, cores, busy_percent)
        SELECT {_AT}, 'host-' || h, array_agg(n), array_agg(100 * random())
        FROM {_ALL}, generate_series(1, :cores) n GROUP BY s, h ORDER BY s, h""",
)


def seed(session: Session, fleet: Fleet, begin: datetime, seconds: int) -> None:
    """Hosts, chains with objectives, and a sample of everything each second."""
    session.execute(text("SET LOCAL statement_timeout = 0"))
    for statement in _SEED:
        session.execute(text(statement), {"begin": begin, "seconds": seconds, **asdict(fleet)})
