/** Scores as dots and bounds as ticks on one axis; the table above has the same figures. */

import type { ReactNode } from "react";
import type { ComparedPlan } from "@/api/types";
import { figure } from "@/lib/format";
import { bestOf, isBest, plotRange } from "./ranking";

const [W, ROW, LEFT, RIGHT, FOOT] = [720, 24, 120, 24, 22];

export function ScorePlot(props: { plans: readonly ComparedPlan[] }): ReactNode {
  const plans = props.plans.filter(({ score }) => score != null);
  const range = plotRange(plans);
  if (!range) return null;
  const { low, high } = range;
  const best = bestOf(plans);
  const x = (score: number) => LEFT + ((score - low) / (high - low)) * (W - LEFT - RIGHT);
  const height = plans.length * ROW + FOOT;
  return (
    <svg className="chart score-plot" viewBox={`0 0 ${W} ${height}`} aria-hidden="true">
      {plans.map((plan, index) => {
        const y = index * ROW + ROW / 2;
        const { score = null, bound = null } = plan;
        return (
          <g key={plan.plan_id}>
            <text className="name" x={LEFT - 10} y={y + 4} textAnchor="end">
              {plan.algorithm}
            </text>
            <line className="grid" x1={LEFT} x2={W - RIGHT} y1={y} y2={y} />
            {score !== null && bound !== null && (
              <>
                <line className="reach" x1={x(score)} x2={x(bound)} y1={y} y2={y} />
                <line className="bound" x1={x(bound)} x2={x(bound)} y1={y - 6} y2={y + 6} />
              </>
            )}
            {score !== null && <circle className={isBest(plan, best) ? "best" : ""} cx={x(score)} cy={y} r={4} />}
          </g>
        );
      })}
      <text x={LEFT} y={height - 6}>
        {figure(low)}
      </text>
      <text x={(LEFT + W - RIGHT) / 2} y={height - 6} textAnchor="middle">
        score; the axis does not begin at 0
      </text>
      <text x={W - RIGHT} y={height - 6} textAnchor="end">
        {figure(high)}
      </text>
    </svg>
  );
}
