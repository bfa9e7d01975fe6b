/** One chain that misses an objective, and the measured cause of it. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { counterCauses } from "@/interference/counter-causes";
import { figure, latency } from "@/lib/format";
import { useLive } from "@/live/store";
import { Mark, Shape } from "@/ui/marks";
import { BesideNf } from "./beside";
import { limitText } from "./limit";
import type { Violation } from "./violations";

export function ViolatedChain({ violation }: { violation: Violation }): ReactNode {
  const { chain, limit, kind } = violation;
  const limiting = limit?.nf;
  const host = useLive((state) => (limiting ? state.hosts.get(limiting.seat.host) : undefined));
  const [gravest] = (host && limiting && counterCauses(host, [limiting])) ?? [];
  const { slo, name } = chain.spec;
  const against =
    kind === "throughput"
      ? `${figure(chain.sample?.delivered_mpps)} of ≥ ${figure(slo.min_throughput_mpps)} Mpps`
      : `${latency(chain.sample?.p95_us)} of ≤ ${figure(slo.max_p95_ms)} ms p95`;
  return (
    <div className="violation">
      <div className="row">
        <span className="nowrap">
          <Shape name="bad" />
          <Link className="strong" to="/chains/$name" params={{ name }}>
            {name}
          </Link>
        </span>
        <span className="nowrap">
          <Mark origin={chain.provenance} />
          {against}
        </span>
      </div>
      <div className="cause">
        {limit && limiting ? (
          <>
            <b className="strong">{limiting.short_name}</b> at{" "}
            <Link to="/" search={{ pin: `${limiting.seat.host}/${limiting.seat.core}/${limiting.seat.slot ?? 0}` }}>
              {limiting.seat.host}/{limiting.seat.node}/{limiting.seat.core}
            </Link>{" "}
            {limitText(limit)}.
            <BesideNf limit={limit} />
            {host && gravest && (
              <span className="block">
                <Mark origin={host.provenance} />
                {gravest}
              </span>
            )}
          </>
        ) : (
          violation.unblamed
        )}
      </div>
    </div>
  );
}
