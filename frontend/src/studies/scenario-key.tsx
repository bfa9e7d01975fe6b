/** What a scenario file may say, beside where it is written. */

import type { ReactNode } from "react";
import { ALGORITHMS } from "@/plans/algorithms";
import { Section } from "@/ui/section";

const TABLES: readonly { table: string; fields: readonly [string, string][] }[] = [
  {
    table: "at the top",
    fields: [
      ["name, summary", "name and question of the study"],
      [
        "kind",
        '"placement": what algorithms\' placements carry; "prediction": how far predictors are off; "numasfp" and "sfc2cpu": a figure of the paper, see below; "school": a training',
      ],
      ["algorithms", "of a placement study; gains are reported for the first"],
      ["placements, placement_seed", "random placements per set, of a prediction study"],
      ["seeds", "of the noise of counters, one run each"],
      ["draws", `samples of the twin's uncertain parameters: numbers, or "centre"; a run each`],
    ],
  },
  {
    table: "[server]",
    fields: [
      ["machine", "a data file of the twin: xeon-e5-2650-v4"],
      ["reserved", "first cores of the node with the NICs, which no NF gets"],
      ["free_remote", "cores of each other node that NFs may take"],
      ["io", '"threads" as OpenNetVM, "none" as the testbed'],
      ["managers", 'of OpenNetVM: "one" with a pool of buffers for all chains, or one "per-chain"'],
    ],
  },
  { table: "[traffic]", fields: [["mpps, packet_bytes, flows", "offered to each chain"]] },
  {
    table: "[profiling]",
    fields: [
      ["rate_mpps", "of competitors"],
      ["half_width_percent, max_samples", "precision at which a point ends"],
      ["upstream, reporter", "NFs of the twin in front and beside"],
    ],
  },
  {
    table: "[[nf]]",
    fields: [
      ["name, like", "an NF type, and the NF of the twin that it is"],
      ["extra_cycles", "additional cycles per packet"],
      ["profiled", '"whole", or "alone" for a type that fits must not see beside others'],
    ],
  },
  { table: "[[set]]", fields: [["name, chains", "chains placed together: lists of NFs, at most 16 NFs"]] },
  {
    table: "[run], of numasfp",
    fields: [
      [
        "what",
        '"rates", "migration", "neighbours", "levels", "sharing", "traces" or "loop"; each has fields of its own',
      ],
    ],
  },
  {
    table: "[run], of sfc2cpu",
    fields: [
      ["what", '"loads" (Fig. 5a), "served" (Fig. 5b and 5c) or "shares" (Fig. 4)'],
      ["cores, assigners", "numbers of cores; rr, llf, ffd, gen, lpt, min_max or throughput"],
      ["instances, system_mpps", "drawn for each number of cores, and what all chains of one are offered"],
      ["kinds", "NFs of the twin that VNFs are drawn from; not of loads"],
      ["without_packets", 'of shares: VNFs "sleep" or "poll" then'],
    ],
  },
  {
    table: "[[expect]], of numasfp and sfc2cpu",
    fields: [
      ["what, paper, tolerance", "a measured value, what the paper says of it, and how near it must be"],
      ["bound", '"within" (as published), "least" or "most"'],
      ["if_missed", "the reason that is shown where it is missed"],
    ],
  },
  { table: "[time]", fields: [["seconds, changes", "time that passes; at_s, chain, mpps of each change of traffic"]] },
];

export function ScenarioKey(): ReactNode {
  return (
    <Section title="Fields" padded>
      {TABLES.map(({ table, fields }) => (
        <div key={table} className="scenario-key">
          <h3 className="mono">{table}</h3>
          <dl>
            {fields.map(([field, says]) => (
              <div key={field}>
                <dt className="mono">{field}</dt>
                <dd className="t2">{says}</dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
      <p className="t3">Algorithms: {ALGORITHMS.map(({ key }) => key).join(", ")}.</p>
    </Section>
  );
}
