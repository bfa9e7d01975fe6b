/** Interference on a host of the plan, before it and after it. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { asProblem } from "@/api/problem";
import { planInterferenceQuery, type When } from "@/api/queries";
import type { Plan, PlanBody } from "@/api/types";
import { InterferenceMatrices } from "@/interference/matrices";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { Choose } from "@/ui/choose";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { hostsByChange } from "./picture";

const WHEN = [
  { key: "before", text: "Before" },
  { key: "after", text: "After" },
] as const;

export function PlanInterference({ plan, body }: { plan: Plan; body: PlanBody }): ReactNode {
  const hosts = useMemo(() => hostsByChange(body), [body]);
  const [host, setHost] = useState(hosts[0] ?? "");
  const [when, setWhen] = useState<When>("after");
  const { data, error } = useQuery({ ...planInterferenceQuery(plan.id, host, when), enabled: host !== "" });
  if (hosts.length === 0) return null;
  const problem = error ? asProblem(error) : null;
  return (
    <Section
      title="Interference"
      note={
        <>
          {host}, {data && <Mark origin={data.provenance} />}Mpps lost
        </>
      }
      end={
        <span className="row-actions tight">
          <CopyButton
            text={cli.planInterference(plan.id, host, when === "before")}
            curl={curls.planInterference(plan.id, host, when === "before")}
          />
          <Segmented label="Under which placement" value={when} options={WHEN} onChange={setWhen} />
        </span>
      }
    >
      {hosts.length > 1 && (
        <div className="narrow">
          <Choose label="Host" value={host} choices={hosts.map((key) => ({ key, text: key }))} onChange={setHost} />
        </div>
      )}
      {problem && <PartProblem problem={problem} />}
      {!problem && !data && <p className="section-body t2 late">Loading {host}</p>}
      {data && !problem && <InterferenceMatrices key={`${host} ${when}`} interference={data} />}
    </Section>
  );
}
