/** By what the games of a training go: the paper's ideal model, or the costs that are in force on a host. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { sharedCoresQuery } from "@/api/sfc2cpu-queries";
import type { SharingHost } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { Mark } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Segmented } from "@/ui/segmented";
import { Picker } from "@/ui/select";
import { costErrorText } from "./words";

const MODELS = [
  { key: "ideal", text: "Ideal model" },
  { key: "fitted", text: "Fitted costs" },
] as const;

/** `host`: whose costs; null: the ideal model; "": not chosen yet. */
export function GamesBy(props: {
  host: string | null;
  /** The host that is open, if one is. */
  open: string | undefined;
  onChange: (host: string | null) => void;
}): ReactNode {
  const { host, open, onChange } = props;
  const names = [...useLive((state) => state.hosts).keys()].toSorted();
  return (
    <>
      <div className="field">
        <span className="t2">Games go by</span>
        <Segmented
          label="Games go by"
          value={host === null ? "ideal" : "fitted"}
          options={MODELS}
          onChange={(key) => onChange(key === "ideal" ? null : (open ?? ""))}
        />
        {host === null && (
          <span className="message t3">
            The paper’s ideal model, in which NFs that share a core do not slow each other down.
          </span>
        )}
      </div>
      {host !== null && (
        <>
          <Picker
            label="Costs of host"
            value={host === "" ? null : host}
            choices={names.map((name) => ({ key: name, text: name }))}
            onChange={onChange}
          />
          {host !== "" && <CostsOf name={host} />}
        </>
      )}
    </>
  );
}

function CostsOf({ name }: { name: string }): ReactNode {
  const { data, error } = useQuery(sharedCoresQuery(name));
  const now = useNow();
  if (error) return <PartProblem problem={asProblem(error)} />;
  if (!data) return <p className="t2 late">Loading what was fitted on {name}</p>;
  const lacking = lackingCosts(data);
  if (lacking !== null || data.cost === null) return <p className="warn">{lacking}</p>;
  return (
    <p className="t2">
      <Mark origin={data.cost.provenance} /> version {data.cost.version}, fitted {ageOrTime(data.cost.fitted_at, now)}:{" "}
      {costErrorText(data.cost)} NFs of {name} may share {data.assignable} cores.
    </p>
  );
}

/** Why no training can go by a host's costs, and what comes first; null where one can. */
export function lackingCosts({ host, cost }: SharingHost): string | null {
  if (!cost) return `Costs beside others were never fitted on ${host}: Fit costs there first.`;
  if (!cost.drifted_at) return null;
  return `What was measured on ${host} has left version ${cost.version} of its costs: Fit costs there again.`;
}
