/** Predictions beside what came of them. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Outcome } from "@/api/types";
import { duration, figure, when } from "@/lib/format";
import { Figure, Mark, Shape } from "@/ui/marks";
import { PagedTable } from "@/ui/pager";
import type { Column } from "@/ui/table";
import { errorText, INTERVALS, insideInterval, limitOfOutcome, originOf, predictorName } from "./words";

const CHAIN: Column<Outcome> = {
  key: "chain",
  head: "Chain",
  cell: ({ chain, host, plan_id }) => (
    <>
      <Link to="/chains/$name" params={{ name: chain }}>
        {chain}
      </Link>
      <div className="t3 nowrap">
        {host},{" "}
        <Link to="/plans/$planId" params={{ planId: String(plan_id) }}>
          plan {plan_id}
        </Link>
      </div>
    </>
  ),
};

const COLUMNS: readonly Column<Outcome>[] = [
  { key: "at", head: "At", cell: ({ at }) => <span className="nowrap">{when(at)}</span> },
  {
    key: "predicted",
    head: "Predicted, Mpps",
    align: "right",
    cell: ({ predicted_mpps, low_mpps, high_mpps, interval_source, predictor, version }) => (
      <>
        <Figure origin={originOf(version)} value={predicted_mpps} low={low_mpps} high={high_mpps} />
        <div className="t3 nowrap">
          {predictorName(predictor)}, {version}
        </div>
        {interval_source && <div className="t3">{INTERVALS[interval_source]}</div>}
      </>
    ),
  },
  {
    key: "measured",
    head: "Measured, Mpps",
    align: "right",
    cell: (outcome) => (
      <>
        <Figure origin={outcome.provenance} value={outcome.measured_mpps} />
        <div className="t3 nowrap">
          of {figure(outcome.offered_mpps)} offered, {duration(outcome.seconds)}
        </div>
      </>
    ),
  },
  { key: "limit", head: "Limited by", cell: (outcome) => <LimitCell outcome={outcome} /> },
  { key: "error", head: "Difference", align: "right", cell: (outcome) => <ErrorCell outcome={outcome} /> },
];

export function OutcomesTable(props: {
  outcomes: readonly Outcome[];
  /** False on a chain's own page. */
  named?: boolean;
  size?: number;
}): ReactNode {
  const { outcomes, named = true, size = 10 } = props;
  return (
    <PagedTable
      label="Outcomes"
      columns={named ? [CHAIN, ...COLUMNS] : COLUMNS}
      rows={outcomes}
      rowKey={({ id }) => id}
      size={size}
      one="outcome"
    />
  );
}

const NOT_TESTED = {
  offered_too_little: {
    words: "offered too little",
    title: "It carried all that was offered, which is less than predicted.",
  },
  port_full: {
    words: "port full",
    title: "It carried all that its port's line rate allows, which is less than predicted.",
  },
} as const;
const CONFIRMED =
  "It carried all that was offered, inside the predicted interval; what it could carry at most was not tested.";

/** The measured bottleneck; the predicted one beside it where that is another. */
function LimitCell({ outcome }: { outcome: Outcome }): ReactNode {
  const { predicted, measured, differs, tested } = limitOfOutcome(outcome);
  if (measured === null) {
    return (
      <span title={`No NF was measured to limit the chain; ${predicted} was predicted to limit it.`}>
        <Mark origin="predicted" />
        {predicted}
      </span>
    );
  }
  return (
    <>
      <Mark origin={outcome.provenance} />
      {measured}
      {differs && (
        <div className="warn">
          <Shape name="warn" />
          predicted: {predicted}
        </div>
      )}
      {differs && (
        <div className="t3">
          {tested.length > 0 ? `counts for the model of ${tested.join(" and ")}` : "tests no model"}
        </div>
      )}
    </>
  );
}

function ErrorCell({ outcome }: { outcome: Outcome }): ReactNode {
  if (outcome.test !== "informative") {
    const { title, words } = NOT_TESTED[outcome.test];
    const confirmed = outcome.test === "offered_too_little" && insideInterval(outcome) === true;
    return (
      <span className="t3" title={confirmed ? CONFIRMED : title}>
        {confirmed ? "confirmed" : "not tested"}
        <div className="nowrap">{words}</div>
      </span>
    );
  }
  const inside = insideInterval(outcome);
  return (
    <span className="nowrap">
      {errorText(outcome)}
      {inside !== null && (
        <div className={inside ? "t3" : "warn"}>
          {!inside && <Shape name="warn" />}
          {inside ? "inside" : "outside"}
        </div>
      )}
    </span>
  );
}
