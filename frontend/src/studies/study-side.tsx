/** What was asked, as it was read and as it was written; and what its figures came from. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PlacementScenario, Study, StudyResult, StudyScenario } from "@/api/types";
import { count, tick } from "@/lib/format";
import { CopyButton } from "@/ui/copy-button";
import { Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { numasfpFacts } from "./kinds/numasfp/facts";
import { schoolFacts } from "./kinds/school/summary";
import { sfc2cpuFacts } from "./kinds/sfc2cpu/facts";
import { originName, RepeatedText } from "./words";

export function AskedSection({ study, asked }: { study: Study; asked: StudyScenario }): ReactNode {
  const { scenario, toml } = asked;
  return (
    <Section title="Requested" end={<CopyButton text={toml} label="Copy scenario" />} padded>
      <p className="t2 study-summary">{study.summary}</p>
      <dl className="facts">
        {ownFacts(scenario).map(([name, value]) => (
          <div key={name} className="fact-row">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <details className="more">
        <summary>{"set" in scenario ? "Sets and scenario file" : "Scenario file"}</summary>
        {("set" in scenario ? scenario.set : []).map(({ name, chains }) => (
          <div key={name} className="study-set">
            <h3>{name}</h3>
            <ol>
              {chains.map((chain, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a chain is its place in the set
                <li key={index}>{chain.join(" → ")}</li>
              ))}
            </ol>
          </div>
        ))}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
        <pre className="study-toml" tabIndex={0}>
          {toml}
        </pre>
      </details>
    </Section>
  );
}

function ownFacts(scenario: StudyScenario["scenario"]): [string, string][] {
  if (scenario.kind === "numasfp") return numasfpFacts(scenario);
  if (scenario.kind === "sfc2cpu") return sfc2cpuFacts(scenario);
  return scenario.kind === "school" ? schoolFacts(scenario) : factsOf(scenario);
}

function networkIo({ io, managers }: PlacementScenario["server"]): string {
  if (io === "none") return "by the NFs, as the testbed";
  return `threads, as OpenNetVM, ${managers === "one" ? "one manager" : "a manager per chain"}`;
}

function factsOf(scenario: PlacementScenario): [string, string][] {
  const { server, traffic, profiling, algorithms, seeds, draws, nf, time } = scenario;
  const remote = server.free_remote == null ? "" : `, ${server.free_remote} free of each other node`;
  return [
    ["Simulated server", server.machine],
    ["Cores", `${server.reserved} reserved of the node with the NICs${remote}`],
    ["Network I/O", networkIo(server)],
    ["Traffic", `${tick(traffic.mpps)} Mpps a chain, ${traffic.packet_bytes} bytes, ${tick(traffic.flows)} flows`],
    ["NF types", nf.map(({ name, like }) => (like && like !== name ? `${name} (as ${like})` : name)).join(", ")],
    ["Sets", count(scenario.set.length, "set")],
    scenario.kind === "placement"
      ? ["Algorithms", algorithms.join(", ")]
      : ["Placements", `${scenario.placements} of each set at random, seed ${scenario.placement_seed}`],
    ["Draws", draws.join(", ")],
    ["Seeds", seeds.join(", ")],
    [
      "Profiling",
      `± ${tick(profiling.half_width_percent)} %, at most ${count(profiling.max_samples, "sample")} a point`,
    ],
    ...(time
      ? [["Time", `${time.seconds} s, ${count(time.changes.length, "change")} of traffic`] as [string, string]]
      : []),
  ];
}

export function OriginSection({ study, origin }: { study: Study; origin: StudyResult["origin"] }): ReactNode {
  const differs = new Set(study.repeated?.differs);
  return (
    <Section title="Origin" note="equal ones give equal figures" padded>
      <table className="origin" aria-label="Origin">
        <tbody>
          {Object.entries(origin).map(([field, value]) => (
            <tr key={field}>
              <th scope="row">{originName(field)}</th>
              <td className="mono">
                {value}
                {differs.has(field) && (
                  <span className="warn">
                    {" "}
                    <Shape name="warn" />
                    not as in study {study.repeat_of}
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

export function RepetitionLine({ study }: { study: Study }): ReactNode {
  if (study.repeat_of == null) return null;
  return (
    <p className="state-line repetition" role="status">
      <b className="strong">
        Repeats{" "}
        <Link to="/studies/$id" params={{ id: String(study.repeat_of) }}>
          study {study.repeat_of}
        </Link>
        {study.repeated ? ":" : "."}
      </b>{" "}
      {study.repeated ? (
        <RepeatedText study={study} />
      ) : (
        <span className="t2">At its end it reports whether all figures are the same.</span>
      )}
    </p>
  );
}
