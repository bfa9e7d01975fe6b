/** The trust meter: each predictor's verdict on a host model, why, and the outcomes that it rests on. */

import type { ReactNode } from "react";
import type { Outcome, Trust } from "@/api/types";
import { percentOfPredicted } from "@/lib/difference";
import { count } from "@/lib/format";
import { VerdictText } from "./trust-word";
import { bandText, errorText, insideInterval, predictorName, testsOf } from "./words";

export function TrustMeter(props: {
  trust: Trust;
  /** Of this NF type, newest first. */
  outcomes: readonly Outcome[];
}): ReactNode {
  const { trust, outcomes } = props;
  return (
    <div className="trust-meter">
      <p>
        <b className="strong">{predictorName(trust.predictor)}</b> <span className="t3">{trust.version}</span>{" "}
        <VerdictText verdict={trust.verdict} />
      </p>
      <Scale trust={trust} outcomes={outcomes} />
      <p className="t2">{trust.why}</p>
      <p className="t3">
        {bandText(trust)}; {count(trust.informative, "informative outcome")}
        {trust.uninformative > 0 &&
          `; ${trust.uninformative} more did not test it: too little was offered, or another NF limited the chain`}
      </p>
    </div>
  );
}

const [W, H, MIDDLE] = [300, 34, 150];

/** Errors of the informative outcomes on one axis, with the band inside which they are trusted. */
function Scale({ trust, outcomes }: { trust: Trust; outcomes: readonly Outcome[] }): ReactNode {
  const informative = testsOf(trust, outcomes);
  if (informative.length === 0) return null;
  const reach = 4 * trust.band_percent;
  const x = (error: number) => MIDDLE + (Math.max(-reach, Math.min(reach, error)) / reach) * (MIDDLE - 12);
  const errors = informative.map((outcome) => ({
    key: outcome.key,
    at: x(percentOfPredicted(outcome.measured_mpps, outcome.predicted_mpps) ?? reach),
    outside: insideInterval(outcome) === false,
    title: `${outcome.chain}: ${errorText(outcome)}`,
  }));
  return (
    <svg
      className="chart trust-scale"
      viewBox={`0 0 ${W} ${H}`}
      role="img"
      aria-label={`Errors of ${informative.length} outcomes: ${informative.map(errorText).join(", ")}`}
    >
      <rect
        className="trusted"
        x={x(-trust.band_percent)}
        width={x(trust.band_percent) - x(-trust.band_percent)}
        y={4}
        height={14}
      />
      <line className="axis" x1={MIDDLE} x2={MIDDLE} y1={2} y2={20} />
      {errors.map(({ key, at, outside, title }) => (
        <circle key={key} className={outside ? "outside" : ""} cx={at} cy={11} r={3}>
          <title>{title}</title>
        </circle>
      ))}
      <text x={2} y={H - 3}>
        −{reach} % carried less
      </text>
      <text x={MIDDLE} y={H - 3} textAnchor="middle">
        0
      </text>
      <text x={W - 2} y={H - 3} textAnchor="end">
        more +{reach} %
      </text>
    </svg>
  );
}
