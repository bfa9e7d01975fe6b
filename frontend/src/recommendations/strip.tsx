/** Open recommendations, one strip each: what, gain with its interval, what it restores, what it costs. */

import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { dismissRecommendation } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { Recommendation } from "@/api/types";
import { count } from "@/lib/format";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { PredictedGain } from "./predicted-gain";
import { byGain, costText, intervalText, promisesNoGain, restoresText, shareText, whatText } from "./words";

/** The largest gains first. `most`: how many of them have room; the others are on the page Automation. `law`: only its
 * own; null: every law's. */
export function RecommendationStrips(props: { most?: number; law?: string | null }): ReactNode {
  const { most = Number.POSITIVE_INFINITY, law = null } = props;
  const known = useLive((state) => state.recommendations);
  const open = byGain([...known.values()].filter((one) => law === null || one.law === law));
  const more = open.length - most;
  return (
    <>
      {open.slice(0, most).map((one) => (
        <Strip key={one.id} recommendation={one} named={open.length > 1} />
      ))}
      {more > 0 && (
        <p className="recommendation">
          <Link to="/automation">{count(more, "more recommendation")}</Link>
        </p>
      )}
    </>
  );
}

/** `named`: by which law, where several have something to recommend. */
export function Strip({
  recommendation: one,
  named = false,
}: {
  recommendation: Recommendation;
  named?: boolean;
}): ReactNode {
  const reason = useActReason("recommendations.decide");
  const dismiss = useMutation({ mutationFn: () => dismissRecommendation(one.id) });
  return (
    <section className="recommendation" aria-label="Recommendation">
      <dl>
        <Part name={named ? `Recommended by ${one.law}` : "Recommended"} text={whatText(one)} />
        <Part name="Gain">
          {!promisesNoGain(one) && <PredictedGain of={one} />}{" "}
          <span className="t2">
            {shareText(one)}
            {one.low_mpps === null && !promisesNoGain(one) && <span title={intervalText(one)}>, no interval</span>}
          </span>
        </Part>
        <Part name="Restores" text={restoresText(one)} />
        <Part name="Costs" text={costText(one)} />
        {one.because && <Part name="Because" text={one.because} className="because" />}
      </dl>
      <span className="end">
        <CopyButton text={cli.dismissRecommendation(one.id)} curl={curls.dismissRecommendation(one.id)} />
        <Button
          reason={reason ?? (dismiss.isPending ? "It is being dismissed." : null)}
          onClick={() => dismiss.mutate()}
        >
          Dismiss
        </Button>
        <Link className="btn" to="/plans/$planId" params={{ planId: String(one.plan_id) }}>
          Review plan {one.plan_id}
        </Link>
      </span>
      {dismiss.error && <ProblemNote problem={asProblem(dismiss.error)} onDismiss={() => dismiss.reset()} />}
    </section>
  );
}

/** `text`: what is cut where it has no room, and shown whole in its title. */
function Part(props: { name: string; text?: string; className?: string; children?: ReactNode }): ReactNode {
  const { name, text, className, children } = props;
  return (
    <div className={className}>
      <dt>{name}</dt>
      <dd title={text}>{text ?? children}</dd>
    </div>
  );
}
