"""Profiling on the twin as jobs do it on a host: the designed points of each NF type, each measured once."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from sextant_domain.base import Provenance, canonical_json
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfileRecord, ProfilingAsk, StandingNf
from sextant_domain.profiling.profile import ProfileRequest
from sextant_domain.studies.scenario import StudyNf
from sextant_engine.profiling.design import MeasuredPoint, design
from sextant_engine.profiling.requests import request_of
from sextant_twin.profiling import Computed, TwinProfiler

from sextant_lab import __version__
from sextant_lab.server import TwinServer

ALONE = frozenset({PointPurpose.IDEAL, PointPurpose.CONTENTIOUSNESS})


class Sandbox(TwinProfiler):
    """Keeps what a point is without noise, which does not change from seed to seed."""

    def __init__(self, server: TwinServer) -> None:
        super().__init__(server.machine, server.nf_core, server.io)
        self.server = server
        self._known: dict[bytes, Computed] = {}

    def computed(self, request: ProfileRequest) -> Computed:
        """As of `TwinProfiler`."""
        key = canonical_json(request)
        if key not in self._known:
            self._known[key] = super().computed(request)
        return self._known[key]

    def records(self, seed: int) -> Iterator[ProfileRecord]:
        """All points that the study's NF types need, as they are measured."""
        records: list[ProfileRecord] = []
        for job, spec in enumerate(self.server.scenario.nf, 1):
            ask = self._ask(spec, seed)
            done = [MeasuredPoint.of(record) for record in records]
            server = self.server
            points = design(ask, server.inventory, server.free, server.nf_types, measured=done).points
            for setting in points if spec.profiled == "whole" else [one for one in points if one.purpose in ALONE]:
                records.append(self.record(setting, ask, seed, len(records) + 1, job))
                yield records[-1]

    def _ask(self, spec: StudyNf, seed: int) -> ProfilingAsk:
        scenario = self.server.scenario
        whole = [nf.name for nf in scenario.nf if nf.profiled == "whole" and nf.name != spec.name]
        return ProfilingAsk(
            nf_type=spec.name,
            host=self.server.inventory.host_id,
            packet_bytes=scenario.traffic.packet_bytes,
            flows=scenario.traffic.flows,
            rate_mpps=scenario.profiling.rate_mpps,
            competitors=tuple(whole),
            half_width_percent=scenario.profiling.half_width_percent,
            max_samples=scenario.profiling.max_samples,
            seed=seed,
        )

    def record(
        self, setting: PointSetting, ask: ProfilingAsk, seed: int, number: int = 1, job: int = 1
    ) -> ProfileRecord:
        """One point, measured."""
        server = self.server
        request = request_of(setting, ask, server.inventory, server.free, server.nf_types)
        now = datetime.now(UTC)
        return ProfileRecord(
            id=number,
            job_id=job,
            point_id=number,
            host=ask.host,
            host_model=server.inventory.host_model,
            versions={nf.nf_type: 1 for nf in (*setting.chain, *setting.downstream, *setting.others)},
            setting=setting,
            request=request,
            result=self.profile(request, __version__, seed=seed),
            stored_at=now,
            provenance=Provenance.SIMULATED,
        )

    def beside(self, subject: str, others: Sequence[str], seed: int) -> ProfileRecord:
        """An NF on the local node with competitors beside it: a point of no design."""
        local = self.server.local
        setting = PointSetting(
            purpose=PointPurpose.LOCAL if others else PointPurpose.IDEAL,
            ingress_node=local,
            chain=(StandingNf(nf_type=subject, node=local),),
            others=tuple(StandingNf(nf_type=name, node=local) for name in others),
        )
        return self.record(setting, self._ask(StudyNf(name=subject), seed), seed)
