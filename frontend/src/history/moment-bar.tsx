/** Above a page that is shown as it was: of when it is, the way back, and the bar that moves it. */

import type { ReactNode } from "react";
import type { PastOf } from "@/api/history-queries";
import { PartProblem } from "@/ui/part-problem";
import type { MomentSearch } from "./moment-search";
import { PastBanner } from "./past-banner";
import type { RangeKey } from "./ranges";
import { DEFAULT_SPAN, Scrubber } from "./scrubber";
import type { Past } from "./use-past";

export interface MomentActions {
  readonly move: (at: string) => void;
  readonly back: () => void;
  readonly span: (span: RangeKey) => void;
  /** Compare later moments with this one; null where that is done, or the page has nothing to compare. */
  readonly compare: (() => void) | null;
}

export function MomentBar(props: {
  search: MomentSearch & { at: string };
  past: Past;
  /** Whose marks the bar has: the whole fleet's, a host's or a chain's. */
  of?: PastOf;
  actions: MomentActions;
}): ReactNode {
  const { search, past, actions } = props;
  return (
    <>
      <PastBanner at={search.at} past={past.fleet} gone={past.gone} of={props.of} onBack={actions.back} />
      <Scrubber
        at={search.at}
        span={search.span ?? DEFAULT_SPAN}
        of={props.of}
        onMove={actions.move}
        onSpan={actions.span}
        onCompare={actions.compare}
      />
      {past.problem && <PartProblem problem={past.problem} />}
    </>
  );
}
