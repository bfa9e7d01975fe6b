/** A chain's path at a moment of the past: how long each hop had its packets, as these measured it then. With the moment
 * bar's Play it is a replay. */

import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { pastFleetQuery } from "@/api/history-queries";
import { asProblem } from "@/api/problem";
import type { ChainView } from "@/api/types";
import { duration } from "@/lib/format";
import { useSettled } from "@/lib/use-settled";
import { useLiveList } from "@/live/store";
import { Mark } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { HopTable } from "./chain-path";
import { partsOf } from "./parts";

/** Over several hosts: of all its parts, in the order in which packets pass. */
export function PathThen({ chain, at }: { chain: ChainView; at: string }): ReactNode {
  const { name, part } = chain.spec;
  const parts = useLiveList(({ chains }) =>
    part ? partsOf(chains.values(), part.of).map((row) => row.chain.spec.name) : [name],
  );
  const settled = useSettled(at);
  const asked = useQueries({ queries: parts.map((part) => pastFleetQuery(settled, { chain: part })) });
  const error = asked.find((one) => one.error)?.error;
  const read = asked.flatMap(({ data }) => data ?? []);
  const hops = read.flatMap((past) => past.hops ?? []);
  const step = read[0]?.step_s;
  return (
    <Section
      title="Path then"
      note={
        step !== undefined && (
          <>
            <Mark origin="measured" /> measured inside the packets, in {duration(step)}
          </>
        )
      }
    >
      {error && <ProblemNote problem={asProblem(error)} />}
      {hops.length > 0 && <HopTable chain={`${part?.of ?? name} then`} hops={hops} />}
      {hops.length === 0 && !error && (
        <p className="section-body t2">{read.length < parts.length ? "Reading…" : "No hop was measured then."}</p>
      )}
    </Section>
  );
}
