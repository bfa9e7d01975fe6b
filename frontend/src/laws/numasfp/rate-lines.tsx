/** Of the chains that matter most now: what each is offered, what is forecast, what it carries. */

import { type ReactNode, useEffect, useState } from "react";
import type { NumasfpChain, NumasfpHost } from "@/api/types";
import { count, figure } from "@/lib/format";
import { LineChart } from "@/ui/line-chart";
import { Mark } from "@/ui/marks";
import { Section } from "@/ui/section";
import { type Course, grown, NONE, SECONDS } from "./rates";

/** Charts that are read at one look; the table below has all chains. */
const MOST = 6;

export function RateLines({ host }: { host: NumasfpHost }): ReactNode {
  const [courses, setCourses] = useState(NONE);
  useEffect(() => setCourses((known) => grown(known, host)), [host]);
  const now = courses.now;
  const drawn = inOrder(host.chains).slice(0, MOST);
  const more = host.chains.length - drawn.length;
  return (
    <Section
      title="Rates"
      note={
        <>
          Gbps on the wire, {host.provenance && <Mark origin={host.provenance} />}
          since this page was opened, at most {SECONDS} s
          {more > 0 && `; ${MOST} of ${count(host.chains.length, "chain")}`}
        </>
      }
    >
      {now === null ? (
        <p className="section-body t2">No rate was measured yet.</p>
      ) : (
        <div className="law-lines">
          {drawn.map(({ chain }) => (
            <Lines key={chain} chain={chain} course={courses.chains.get(chain)} now={now} look={host.provenance} />
          ))}
        </div>
      )}
    </Section>
  );
}

/** Those that fall short longest first, then by rate. */
export function inOrder(chains: readonly NumasfpChain[]): readonly NumasfpChain[] {
  return chains.toSorted(
    (one, other) =>
      other.violations - one.violations ||
      (other.rate_gbps ?? -1) - (one.rate_gbps ?? -1) ||
      (one.chain < other.chain ? -1 : 1),
  );
}

function Lines(props: {
  chain: string;
  course: Course | undefined;
  now: number;
  look: NumasfpHost["provenance"];
}): ReactNode {
  const { chain, course, now, look } = props;
  if (!course) return null;
  const last = (points: Course["rate"]) => figure(points.at(-1)?.[1]);
  return (
    <figure aria-label={`Rates of ${chain}`}>
      <figcaption>{chain}</figcaption>
      <LineChart
        label={`${chain}: ${last(course.rate)} Gbps offered, ${last(course.forecast)} forecast, ${last(course.carried)} carried`}
        lines={[
          { name: "forecast", look: "forecast", points: course.forecast, end: last(course.forecast) },
          { name: "offered", look: "quiet", points: course.rate, end: last(course.rate) },
          {
            name: "carried",
            look: look === "simulated" ? "simulated" : "measured",
            points: course.carried,
            end: last(course.carried),
          },
        ]}
        now={now}
        seconds={SECONDS}
        format={figure}
      />
    </figure>
  );
}
