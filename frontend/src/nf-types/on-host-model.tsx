/** All that is known about an NF type on one host model: versions, the one that is shown, its curves and metric. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { fitQuery, versionQuery } from "@/api/model-queries";
import { asProblem } from "@/api/problem";
import type { CurveModel, FitView, ModelVersion, NfType } from "@/api/types";
import { count } from "@/lib/format";
import { StartProfile } from "@/profiling/start-profile";
import { Mark } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { Coefficients } from "./coefficients";
import { Contentiousness } from "./contentiousness";
import { FitAgain, NewestFit } from "./fits";
import { MetricSection } from "./metric-section";
import { ScoresSection } from "./scores-table";
import { Sensitivity } from "./sensitivity";
import { measurementsOf } from "./sensitivity-series";
import type { HostModel } from "./standing";
import { Outcomes } from "./trust-side";
import { useMeasured } from "./use-measured";
import { VersionsTable } from "./versions-table";

export function OnHostModel(props: {
  type: NfType;
  host: HostModel;
  /** Of this host model, newest first. */
  versions: readonly ModelVersion[];
  shown: ModelVersion | null;
  onShow: (fitId: number) => void;
}): ReactNode {
  const { type, host, versions, shown, onShow } = props;
  return (
    <>
      <Section
        title="Versions of its model"
        note={versions.length === 0 ? "none" : count(versions.length, "version")}
        end={<FitAgain hostModel={host.name} />}
      >
        <NewestFit hostModel={host.name} />
        {versions.length > 0 ? (
          <VersionsTable versions={versions} shown={shown?.fit_id ?? null} onShow={onShow} />
        ) : (
          <Assumed type={type} host={host} />
        )}
      </Section>
      {shown && <Coefficients version={shown} />}
      {shown && <ScoresSection scores={shown.scores} of={type.name} />}
      <Outcomes nfType={type.name} hostModel={host.name} />
      <Measured type={type} host={host} shown={shown} />
    </>
  );
}

function Assumed({ type, host }: { type: NfType; host: HostModel }): ReactNode {
  return (
    <div className="section-body">
      <p className="t2">
        <Mark origin="assumed" />
        Plans use assumed figures of {type.implementation ?? type.name} for it on this host model. Profile it there and
        promote the resulting model.
      </p>
      {host.hosts[0] && (
        <div className="row-actions">
          <StartProfile nfType={type.name} host={host.hosts[0]} label="Profile it here" look="primary" />
        </div>
      )}
    </div>
  );
}

/** Needs the held-out samples and all models of the fit, which lists leave out. */
function Measured({ type, host, shown }: { type: NfType; host: HostModel; shown: ModelVersion | null }): ReactNode {
  const version = useQuery({ ...versionQuery(shown?.id ?? 0), enabled: shown !== null });
  const fit = useQuery({ ...fitQuery(shown?.fit_id ?? 0), enabled: shown !== null });
  const measured = useMeasured(type.name, host.name, shown?.nf_version ?? type.version);
  const curves = useMemo(() => curvesOf(fit.data), [fit.data]);
  const heldOut = version.data?.held_out ?? [];
  const error = version.error ?? fit.error ?? measured.error;
  const basis = shown?.basis ?? host.provenance;
  const drawn = measurementsOf(measured.points, basis, heldOut);
  return (
    <>
      {error && <PartProblem problem={asProblem(error)} />}
      {measured.pending ? (
        <Section title="Sensitivity">
          <p className="section-body t2 late">Loading measurements</p>
        </Section>
      ) : (
        <>
          <Sensitivity nfType={type.name} measured={drawn} curves={curves} />
          <Contentiousness nfType={type.name} measured={drawn} curves={curves} />
        </>
      )}
      {fit.data && <MetricSection view={fit.data} nfType={type.name} />}
    </>
  );
}

function curvesOf(view: FitView | undefined): ReadonlyMap<string, CurveModel> {
  return new Map(
    (view?.fit?.models ?? []).flatMap(({ nf_type, curves }) => (curves ? [[nf_type, curves] as const] : [])),
  );
}
