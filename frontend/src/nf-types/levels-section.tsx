/** Levels of an NF type on a host model: what each rate takes on local and remote nodes, and which version is in use. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { levelsQuery } from "@/api/level-queries";
import { asProblem } from "@/api/problem";
import type { LevelsVersion, ProfilingJob } from "@/api/types";
import { count, when } from "@/lib/format";
import { useLive } from "@/live/store";
import { pointsText } from "@/profiling/words";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { jobEnded, jobLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { Choose } from "@/ui/choose";
import { CopyButton } from "@/ui/copy-button";
import { Mark, Shape } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { DecideLevels } from "./decide-levels";
import { pointsOfGrid } from "./levels";
import { LevelsChart } from "./levels-chart";
import { LevelsTable } from "./levels-table";
import { MeasureLevels } from "./measure-levels";

export function LevelsSection(props: { nfType: string; hostModel: string; hosts: readonly string[] }): ReactNode {
  const { nfType, hostModel, hosts } = props;
  const { data, error } = useQuery(levelsQuery(nfType));
  const [chosen, setChosen] = useState<string | null>(null);
  const versions = (data?.items ?? []).filter(({ host_model }) => host_model === hostModel);
  const shown =
    versions.find(({ id }) => String(id) === chosen) ??
    versions.find(({ state }) => state === "promoted") ??
    versions[0];
  return (
    <Section
      title="Levels"
      note="the least cache ways and memory bandwidth that carry a rate"
      end={<MeasureLevels nfType={nfType} hosts={hosts} />}
    >
      {error && !data && <PartProblem problem={asProblem(error)} />}
      {!error && !data && <p className="section-body t2 late">Loading levels</p>}
      <Running nfType={nfType} hostModel={hostModel} />
      {data && !shown && (
        <p className="section-body t2">
          Never measured on this host model. Without promoted levels NUMASFP leaves chains with this NF type alone.
        </p>
      )}
      {shown && (
        <div className="section-body">
          {versions.length > 1 && (
            <Choose
              label="Version"
              value={String(shown.id)}
              choices={versions.map((one) => ({ key: String(one.id), text: `${one.version}`, note: one.state }))}
              onChange={setChosen}
            />
          )}
          <Facts version={shown} />
        </div>
      )}
      {shown && <LevelsChart version={shown} />}
      {shown && <LevelsTable version={shown} />}
    </Section>
  );
}

function Facts({ version }: { version: LevelsVersion }): ReactNode {
  const { measured } = version;
  return (
    <>
      <p>
        <Shape name={version.state === "promoted" ? "ok" : "idle"} />
        Version {version.version}: <b className="strong">{version.state}</b>
        {version.decided_by && version.decided_at && ` by ${version.decided_by}, ${when(version.decided_at)}`}
        {". "}
        <Mark origin={version.provenance} />
        {version.provenance} on {version.host} by{" "}
        <Link to="/profiling/$id" params={{ id: String(version.job_id) }}>
          job {version.job_id}
        </Link>
        <span className="t2">
          : packets of {measured.packet_bytes} bytes, {count(measured.flows, "flow")}, error of a measurement{" "}
          {measured.noise_percent} %, {pointsOfGrid(version)}
        </span>
      </p>
      {version.stale && (
        <p className="warn">
          <Shape name="warn" />
          {version.stale}.
        </p>
      )}
      <div className="row-actions">
        <DecideLevels version={version} />
        <CopyButton text={cli.showLevels(version.id)} curl={curls.showLevels(version.id)} />
      </div>
    </>
  );
}

/** Jobs that measure them now, by the stream. */
function Running({ nfType, hostModel }: { nfType: string; hostModel: string }): ReactNode {
  const jobs = useLive((state) => state.profiling);
  const mine = [...jobs.values()].filter((job) => isOf(job, nfType, hostModel) && !jobEnded(job.state));
  return mine.map((job) => (
    <p key={job.id} className="section-body" role="status">
      <Link to="/profiling/$id" params={{ id: String(job.id) }}>
        Job {job.id}
      </Link>{" "}
      measures them on {job.ask.host}: <StateText look={jobLook(job)} /> {pointsText(job)}
    </p>
  ));
}

function isOf({ ask, host_model }: ProfilingJob, nfType: string, hostModel: string): boolean {
  return ask.levels != null && ask.nf_type === nfType && host_model === hostModel;
}
