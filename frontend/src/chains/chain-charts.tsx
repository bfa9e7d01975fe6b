/** Throughput and latency of a chain over the last seconds. */

import type { ReactNode } from "react";
import type { ChainView } from "@/api/types";
import { LATENCY } from "@/capabilities/cannot";
import { useCannot } from "@/capabilities/use-cannot";
import { figure, latency, latencyShort } from "@/lib/format";
import { LineChart } from "@/ui/line-chart";
import { Mark } from "@/ui/marks";
import { Section } from "@/ui/section";
import { useChainHistory } from "./history";

/** `last`: where packets leave, if other than where they enter. */
export function ChainCharts({ chain, last: leaves }: { chain: ChainView; last: ChainView }): ReactNode {
  const { points: entering } = useChainHistory(chain);
  const { points, now, seconds } = useChainHistory(leaves);
  const look = chain.provenance === "simulated" ? "simulated" : "measured";
  const floor = chain.spec.slo.min_throughput_mpps ?? null;
  const ceiling = leaves.spec.slo.max_p95_ms ?? null;
  const last = points.at(-1);
  const offered = entering.at(-1)?.offered;
  const unmeasured = useCannot(chain, LATENCY);
  const note = (
    <>
      <Mark origin={chain.provenance} />
      {chain.provenance}, last {seconds} s
    </>
  );
  if (points.length === 0) {
    return (
      <Section title="Throughput and latency" note={note}>
        <p className="section-body t2">No sample in the last {seconds} s.</p>
      </Section>
    );
  }
  return (
    <>
      <Section title="Throughput" note={<>Mpps, {note}</>}>
        <LineChart
          label={`Throughput of ${chain.spec.name}: ${figure(last?.delivered)} of ${figure(offered)} Mpps offered`}
          lines={[
            {
              name: "offered",
              look: "quiet",
              points: entering.map(({ at, offered }) => [at, offered]),
              end: figure(offered),
            },
            {
              name: "delivered",
              look,
              points: points.map(({ at, delivered }) => [at, delivered]),
              end: figure(last?.delivered),
            },
          ]}
          now={now}
          seconds={seconds}
          limit={floor === null ? undefined : { value: floor, text: `at least ${figure(floor)}` }}
          format={figure}
        />
      </Section>
      {unmeasured ? (
        <Section title="Latency" note="not measured">
          <p className="section-body t2">Not measured on {unmeasured}.</p>
        </Section>
      ) : (
        <Section title="Latency" note={<>95th and 99.9th percentile from ingress to egress, {note}</>}>
          <LineChart
            label={`Latency of ${chain.spec.name}: 95th percentile ${latency(last?.p95)}, 99.9th ${latency(last?.p999)}`}
            lines={[
              {
                name: "p99.9",
                look: "quiet",
                points: points.map(({ at, p999 }) => [at, p999]),
                end: latency(last?.p999),
              },
              { name: "p95", look, points: points.map(({ at, p95 }) => [at, p95]), end: latency(last?.p95) },
            ]}
            now={now}
            seconds={seconds}
            limit={
              ceiling === null ? undefined : { value: ceiling * 1000, text: `at most ${latencyShort(ceiling * 1000)}` }
            }
            format={latencyShort}
          />
        </Section>
      )}
    </>
  );
}
