/** Beside the map: what is wrong, what waits for an operator, and what is pinned. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Operation, PlanBrief } from "@/api/types";
import { count } from "@/lib/format";
import { Claim } from "@/live/claim";
import { useLive } from "@/live/store";
import { isToReview } from "@/plans/applicable";
import { briefSubject } from "@/plans/words";
import { operationLook, waitsForYou } from "@/states/derived";
import { Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { Side } from "@/ui/side";
import { PinnedCore } from "./pinned-core";
import { findSeat, seatKey } from "./seat";
import type { Fleet } from "./use-fleet";
import { ViolatedChain } from "./violated-chain";

/** More do not fit a column; the note says how many there are. */
const MOST = 6;

export function SideColumn(props: {
  fleet: Fleet;
  pin: string | null;
  onPin: (seat: string | null) => void;
}): ReactNode {
  const { fleet, pin } = props;
  const seat = findSeat(fleet.models, fleet.layout.hosts, pin);
  const model = fleet.models.find((each) => each.host.host_id === seat?.unit.host);
  return (
    <Side label="Details">
      {seat && model && (
        <PinnedCore
          unit={seat.unit}
          model={model}
          onPin={(slot) => props.onPin(seatKey({ ...seat.unit, slot }))}
          onUnpin={() => props.onPin(null)}
        />
      )}
      {pin && !seat && (
        <Section title={pin}>
          <p className="empty">This core is not shown. It may be filtered out, or its host was removed.</p>
        </Section>
      )}
      <Violated fleet={fleet} />
      <Waiting />
      {!pin && (
        <Section title="Core">
          <p className="section-body t2">
            Click a core, or focus the map and press Enter, to pin it here. Arrow keys move, <kbd>T</kbd> shows a table.
          </p>
        </Section>
      )}
    </Side>
  );
}

function Violated({ fleet }: { fleet: Fleet }): ReactNode {
  const { violations } = fleet;
  const { chains } = fleet.totals;
  const shown = violations.slice(0, MOST);
  const note =
    shown.length < violations.length ? `${shown.length} of ${violations.length}` : `${violations.length} of ${chains}`;
  return (
    <Section title="Violated chains" note={<Claim>{note}</Claim>} end={<Link to="/chains">All chains</Link>}>
      {shown.map((violation) => (
        <ViolatedChain key={violation.chain.spec.name} violation={violation} />
      ))}
      {violations.length === 0 && (
        <p className="section-body t2">
          <Claim>{chains === 0 ? "No chain runs." : noneMissed(fleet)}</Claim>
        </p>
      )}
    </Section>
  );
}

/** Simulated figures are never called measured. */
function noneMissed({ totals }: Fleet): string {
  const simulated = totals.mpps.some(({ provenance }) => provenance === "simulated");
  return `No measured ${simulated ? "or simulated " : ""}objective is missed.`;
}

/** Plans to review and operations that stopped: nothing goes on until somebody acts. */
function Waiting(): ReactNode {
  const plans = useLive((state) => state.plans);
  const operations = useLive((state) => state.operations);
  const proposed = [...plans.values()].filter(isToReview).sort((a, b) => b.id - a.id);
  const stopped = [...operations.values()].filter(waitsForYou);
  const running = [...operations.values()].filter((operation) => isUnderWay(operation));
  const n = proposed.length + stopped.length;
  return (
    <Section title="Needs attention" note={<Claim>{n === 0 ? "nothing" : n}</Claim>}>
      {stopped.map((operation) => (
        <Waits key={`o${operation.id}`} operation={operation} />
      ))}
      {proposed.slice(0, MOST).map((plan) => (
        <Proposed key={`p${plan.id}`} plan={plan} />
      ))}
      {running.map((operation) => (
        <div className="violation" key={`r${operation.id}`}>
          <Shape name="running" />
          <Link to="/operations/$operationId" params={{ operationId: String(operation.id) }}>
            {operation.title}
          </Link>{" "}
          <span className="t2">{operationLook(operation).words}</span>
        </div>
      ))}
    </Section>
  );
}

function isUnderWay(operation: Operation): boolean {
  return ["QUEUED", "STARTING", "PROCESSING", "ROLLING_BACK"].includes(operation.state) || operation.waits_for_host;
}

function Waits({ operation }: { operation: Operation }): ReactNode {
  return (
    <div className="violation">
      <div className="row tight">
        <span>
          <Shape name="bad" />
          <b className="strong">{operation.title}</b>
        </span>
        <Link className="btn small" to="/operations/$operationId" params={{ operationId: String(operation.id) }}>
          Decide
        </Link>
      </div>
      <div className="cause">{operation.error?.title ?? "It stopped after three tries."}</div>
    </div>
  );
}

function Proposed({ plan }: { plan: PlanBrief }): ReactNode {
  return (
    <div className="violation">
      <div className="row tight">
        <span>
          <b className="strong">Plan {plan.id}</b>{" "}
          <span className="t2">
            {briefSubject(plan)}, {count(plan.changes, "change")}
            {plan.rejected > 0 && `, ${count(plan.rejected, "chain")} ${plan.rejected === 1 ? "does" : "do"} not fit`}
          </span>
        </span>
        <Link className="btn small" to="/plans/$planId" params={{ planId: String(plan.id) }}>
          Review
        </Link>
      </div>
    </div>
  );
}
