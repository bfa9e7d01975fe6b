/** What could share a core on a host of the plan, once it is applied: a preview that plans nothing. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { asProblem } from "@/api/problem";
import { planConsolidationQuery } from "@/api/queries";
import type { Consolidation, Plan, PlanBody } from "@/api/types";
import { count, DASH, figure, percent } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { Button } from "@/ui/button";
import { Choose } from "@/ui/choose";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { hostsByChange } from "./picture";

/** Asked for by a button: most who read a plan do not want it. */
export function PlanConsolidation({ plan, body }: { plan: Plan; body: PlanBody }): ReactNode {
  const hosts = useMemo(() => hostsByChange(body), [body]);
  const [host, setHost] = useState(hosts[0] ?? "");
  const [wanted, setWanted] = useState(false);
  const { data, error } = useQuery({ ...planConsolidationQuery(plan.id, host), enabled: wanted && host !== "" });
  if (hosts.length === 0) return null;
  return (
    <Section
      title="What could share a core"
      note={host}
      end={<CopyButton text={cli.planConsolidation(plan.id, host)} curl={curls.planConsolidation(plan.id, host)} />}
    >
      {hosts.length > 1 && (
        <div className="narrow">
          <Choose label="Host" value={host} choices={hosts.map((key) => ({ key, text: key }))} onChange={setHost} />
        </div>
      )}
      {!wanted && (
        <p className="section-body">
          <Button small onClick={() => setWanted(true)}>
            Preview fewer cores
          </Button>{" "}
          <span className="t3">Nothing is planned by it.</span>
        </p>
      )}
      {wanted && error && <PartProblem problem={asProblem(error)} />}
      {wanted && !error && !data && <p className="section-body t2 late">Loading {host}</p>}
      {data && !error && <Preview found={data} />}
    </Section>
  );
}

/** "2 moves would free cores 0 and 2. ..." */
export function summaryOf({ note, freed, moves, proven, slots, delayed_before, delayed }: Consolidation): string {
  if (note !== null) return `Nothing can be freed: ${note}.`;
  const which = freed.length === 1 ? `core ${freed[0]}` : `cores ${freed.join(", ")}`;
  const fewest = proven ? "No fewer cores suffice." : "Fewer may suffice.";
  const first = slots === null ? "" : ` Its cores would have to take ${slots} NFs each first.`;
  const passes = `From core to core pass ${figure(delayed)} Mpps × hops, now ${figure(delayed_before)}.`;
  return `${count(moves, "move")} would free ${which}. ${fewest}${first} ${passes}`;
}

function Preview({ found }: { found: Consolidation }): ReactNode {
  return (
    <>
      <p className="section-body">{summaryOf(found)}</p>
      {found.cores.length > 0 && <Cores found={found} />}
      {found.chains.length > 0 && <Chains found={found} />}
    </>
  );
}

function Cores({ found }: { found: Consolidation }): ReactNode {
  return (
    <table aria-label={`Fewer cores of ${found.host}`}>
      <thead>
        <tr>
          <th scope="col">Core</th>
          <th scope="col" className="num">
            NFs need, %
          </th>
          <th scope="col" className="num">
            would need, %
          </th>
          <th scope="col">NFs then</th>
        </tr>
      </thead>
      <tbody>
        {found.cores.map(({ core, nf_ids, before_percent, nfs_percent }) => (
          <tr key={core}>
            <th scope="row">{core}</th>
            <td className="num">{percent(before_percent)}</td>
            <td className="num">{percent(nfs_percent)}</td>
            <td>{nf_ids.length > 0 ? nf_ids.join(", ") : <b className="strong">freed</b>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Chains({ found }: { found: Consolidation }): ReactNode {
  return (
    <table aria-label={`Chains on fewer cores of ${found.host}`}>
      <thead>
        <tr>
          <th scope="col">Chain</th>
          <th scope="col" className="num">
            <Mark origin="predicted" />
            now, Mpps
          </th>
          <th scope="col" className="num">
            <Mark origin="predicted" />
            then, Mpps
          </th>
        </tr>
      </thead>
      <tbody>
        {found.chains.map((one) => (
          <tr key={one.chain}>
            <th scope="row">{one.chain}</th>
            <td className="num">{withInterval(one.before_mpps, one.before_low_mpps, one.before_high_mpps)}</td>
            <td className="num">{withInterval(one.mpps, one.low_mpps, one.high_mpps)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** "2.0 (1.8 to 2.2)"; without an interval it says so. */
export function withInterval(mpps: number | null, low: number | null, high: number | null): string {
  if (mpps === null) return DASH;
  return low === null || high === null
    ? `${figure(mpps)} (no interval)`
    : `${figure(mpps)} (${figure(low)} to ${figure(high)})`;
}
