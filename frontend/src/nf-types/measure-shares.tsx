/** Starts a job that finds shares: a button, and the window with host, rates, hops, and what it will take. */

import { type ReactNode, useState } from "react";
import { Checkbox } from "react-aria-components";
import { count, duration } from "@/lib/format";
import { messageOf } from "@/profiling/ask-draft";
import { cli } from "@/session/cli";
import { Field } from "@/ui/field";
import { MeasureButton, MeasureForm, useMeasureJob } from "./measure-job";
import { MOST_PERCENT, readShares, USUAL_SHARES } from "./shares";

interface Props {
  readonly nfType: string;
  /** Those that may be chosen. */
  readonly hosts: readonly string[];
}

export function MeasureShares(props: Props): ReactNode {
  return (
    <MeasureButton what="shares" {...props}>
      <MeasureSharesForm {...props} />
    </MeasureButton>
  );
}

export function MeasureSharesForm(props: Props): ReactNode {
  const [typed, setTyped] = useState(USUAL_SHARES);
  const asked = readShares(typed);
  const job = useMeasureJob({
    ...props,
    capability: "profiling-shares",
    able: "measure shares",
    finds: () => (asked.shares ? { shares: asked.shares } : null),
  });
  const errors = [...asked.errors, ...job.errors];
  return (
    <MeasureForm
      job={job}
      what="shares"
      command={cli.measureShares}
      takes={(design) => (
        <>
          <b className="strong">{count(design.grid_points ?? 0, "point")}</b>, about {duration(design.expected_s)}. The
          first is a full line; the rates of the others follow from what the NF carries of it.
        </>
      )}
      more={
        <Checkbox className="check" isSelected={typed.hops} onChange={(hops) => setTyped({ ...typed, hops })}>
          <span className="box" aria-hidden="true" />
          <span>Hops as well: what handing a packet on to another process costs, by distance</span>
        </Checkbox>
      }
    >
      <Field
        label="Rates"
        value={typed.points}
        onChange={(points) => setTyped({ ...typed, points })}
        inputMode="numeric"
        hint="so many, evenly up to the fastest"
        error={messageOf(errors, "shares.points")}
      />
      <Field
        label="Fastest"
        value={typed.mostPercent}
        onChange={(mostPercent) => setTyped({ ...typed, mostPercent })}
        unit="%"
        inputMode="decimal"
        hint={`of what it carries of a full line; ${MOST_PERCENT} at most`}
        error={messageOf(errors, "shares.most_percent")}
      />
    </MeasureForm>
  );
}
