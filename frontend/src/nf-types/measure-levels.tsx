/** Starts a job that finds levels: a button, and the window with host, rates, and what it will take. */

import { type ReactNode, useState } from "react";
import { duration } from "@/lib/format";
import { messageOf } from "@/profiling/ask-draft";
import { cli } from "@/session/cli";
import { Field } from "@/ui/field";
import { nodeKindsOf, readRates, USUAL_RATES } from "./levels";
import { MeasureButton, MeasureForm, useMeasureJob } from "./measure-job";

interface Props {
  readonly nfType: string;
  /** Those that may be chosen. */
  readonly hosts: readonly string[];
}

export function MeasureLevels(props: Props): ReactNode {
  return (
    <MeasureButton what="levels" {...props}>
      <MeasureLevelsForm {...props} />
    </MeasureButton>
  );
}

export function MeasureLevelsForm(props: Props): ReactNode {
  const [rates, setRates] = useState(USUAL_RATES);
  const asked = readRates(rates);
  const job = useMeasureJob({
    ...props,
    capability: "profiling-resources",
    able: "give cache ways and memory bandwidth",
    finds: (host) =>
      asked.error === null ? { levels: { rates_gbps: [...asked.rates], nodes: [...nodeKindsOf(host).nodes] } } : null,
  });
  return (
    <MeasureForm
      job={job}
      what="levels"
      command={cli.measureLevels}
      takes={(design) => (
        <>
          <b className="strong">A grid of {design.grid_points} points</b>, of which less than half are measured: about{" "}
          {duration(design.expected_s)}. Each point follows from those before it.
        </>
      )}
    >
      {job.chosen && !job.chosen.disabled && <p className="t2">{kindsText(nodeKindsOf(job.all.get(job.host)).why)}</p>}
      <Field
        label="Rates"
        value={rates}
        onChange={setRates}
        unit="Gbps"
        hint="on the wire, with blanks between them"
        error={asked.error ?? messageOf(job.errors, "levels")}
      />
    </MeasureForm>
  );
}

function kindsText(why: string | null): ReactNode {
  if (why === null) return "On the node that packets arrive on (local), and on another (remote).";
  return (
    <>
      On the node that packets arrive on (<b className="strong">local</b>) only: {why}.
    </>
  );
}
