/** The path of a chain over several hosts: the picture, the whole way in figures, and every hop. */

import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { Part } from "@/api/types";
import { figure, latency } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLiveList } from "@/live/store";
import { Mark, Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { Elsewhere, HopTable } from "./chain-path";
import { ChainWays, waysOf } from "./chain-ways";
import { hopsOf, partsOf, silentFor, transitsOf, wholeWay, withinHops } from "./parts";
import { PathPicture } from "./path-picture";

export function WholePath({ part }: { part: Part }): ReactNode {
  const now = useNow();
  const parts = useLiveList(({ chains }) => partsOf(chains.values(), part.of).map((row) => row.chain));
  const rows = useMemo(() => partsOf(parts, part.of), [parts, part.of]);
  const whole = wholeWay(rows);
  const hops = hopsOf(rows);
  const transits = transitsOf(rows, now);
  const ways = waysOf(rows, now);
  const cut = ways.filter(({ way, isStale }) => way.state === "cut" && !isStale);
  const silent = new Set(
    rows.flatMap(({ chain }) => (silentFor(chain, now) === null ? [] : [chain.spec.ingress?.host ?? ""])),
  );
  const within = silent.size === 0 && rows.length === part.count ? withinHops(hops, transits, whole.p95) : null;
  return (
    <Section
      title="Path"
      note={
        <>
          <Mark origin="measured" /> measured inside the packets, last second; times in NFs are 95th percentiles
        </>
      }
      end={
        part.number > 1 && (
          <Link to="/chains/$name" params={{ name: part.of }}>
            The whole chain, {part.of}
          </Link>
        )
      }
    >
      <PathPicture rows={rows} now={now} />
      <p className="section-body path-whole">
        {rows.length < part.count && (
          <span className="bad">
            <Shape name="bad" />
            {part.count - rows.length} of {part.count} parts are missing.{" "}
          </span>
        )}
        {cut.length > 0 && (
          <span className="bad">
            <Shape name="bad" />
            Cut on the way from {cut.map(({ host }) => host).join(", ")}.{" "}
          </span>
        )}
        {silent.size > 0 && <span className="warn">Last heard of {[...silent].join(", ")}: </span>}
        <b className="strong">{figure(whole.left)}</b> of {figure(whole.entered)} Mpps leave, {figure(whole.lost)} are
        lost; from the source to the sink they take {latency(whole.p50)} (median) and {latency(whole.p95)} (p95).
        {within !== null && (
          <>
            {" "}
            <Elsewhere within={within} />
          </>
        )}
      </p>
      {hops.length > 0 && <HopTable chain={part.of} hops={hops} silent={silent} transits={transits} />}
      {ways.length > 0 && <ChainWays chain={part.of} ways={ways} />}
    </Section>
  );
}
