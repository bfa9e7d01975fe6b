/** What a model is made of: throughput alone, weight, and the coefficients with what the samples determine of them. */

import type { ReactNode } from "react";
import type { ModelVersion, PerformanceModel, SideFit } from "@/api/types";
import { figure, signed } from "@/lib/format";
import { Figure, Mark, Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { METHODS } from "./model-state";

export function Coefficients({ version }: { version: ModelVersion }): ReactNode {
  const { model } = version;
  return (
    <Section
      title={`Model of fit ${version.fit_id}`}
      note={`version ${version.nf_version} of the NF type, ${METHODS[version.method]}, ${version.samples} samples`}
    >
      <div className="section-body">
        <Warnings version={version} />
        {model ? (
          <Ideal model={model} version={version} />
        ) : (
          <p className="t2">It gave no model; the reason is above.</p>
        )}
      </div>
      {version.method === "solo" ? (
        <p className="section-body t2">
          <Mark origin="assumed" />
          No pair of cores shares a cache here, so drops could not be measured; shipped values are assumed.
        </p>
      ) : (
        version.sides.length > 0 && <Sides version={version} />
      )}
    </Section>
  );
}

/** What keeps it from being promoted, and what does not but should be known. */
function Warnings({ version }: { version: ModelVersion }): ReactNode {
  return (
    <>
      {version.stale && (
        <p className="warn">
          <Shape name="stale" />
          Stale: {version.stale}.
        </p>
      )}
      {version.refusals.map((refusal) => (
        <p key={refusal} className="bad">
          <Shape name="bad" />
          Cannot be promoted: {refusal}.
        </p>
      ))}
      {!version.validated && (
        <p className="warn">
          <Shape name="warn" />
          Not validated: no metric qualifies on this host model.
        </p>
      )}
      {version.notes.map((note) => (
        <p key={note} className="t2">
          {note}
        </p>
      ))}
    </>
  );
}

function Ideal({ model, version }: { model: PerformanceModel; version: ModelVersion }): ReactNode {
  const origin = model.ideal_provenance ?? version.basis;
  return (
    <dl className="facts model-facts">
      <dt>Throughput alone</dt>
      <dd>
        <Figure origin={origin} value={model.ideal_mpps.local} unit="Mpps" /> local,{" "}
        <Figure origin={origin} value={model.ideal_mpps.remote} unit="Mpps" /> remote
        {model.ideal_half_width && (
          <div className="t3">
            ± {figure(100 * model.ideal_half_width.local)} % local, ± {figure(100 * model.ideal_half_width.remote)} %
            remote: 95 %, from repetitions
          </div>
        )}
      </dd>
      <dt>Stalls over the scale</dt>
      <dd>
        {figure(model.stalls)} <span className="t3">its weight is 1 over that</span>
      </dd>
      <dt>Interval of a drop</dt>
      <dd>
        {model.half_width ? (
          <>
            ± {figure(100 * model.half_width.local)} points local, ± {figure(100 * model.half_width.remote)} remote{" "}
            <span className="t3">95 %, from held-out mixes</span>
          </>
        ) : (
          <span className="t3">none: too few samples to hold any out</span>
        )}
      </dd>
    </dl>
  );
}

interface Row {
  readonly key: string;
  readonly side: SideFit;
  readonly method: "constrained" | "lms";
  readonly used: boolean;
}

const COLUMNS: readonly Column<Row>[] = [
  { key: "side", head: "Side", cell: ({ side }) => side.side },
  {
    key: "method",
    head: "Found by",
    cell: ({ method, used }) => (
      <span className={used ? "nowrap" : "nowrap t3"}>
        {METHODS[method]}
        {used && <b className="strong"> used</b>}
      </span>
    ),
  },
  { key: "alpha", head: "α, cache", align: "right", cell: ({ side, method }) => coefficient(side[method].alpha) },
  { key: "beta", head: "β, memory", align: "right", cell: ({ side, method }) => coefficient(side[method].beta) },
  { key: "c", head: "c, fixed", align: "right", cell: ({ side, method }) => signed(side[method].c) },
  {
    key: "quality",
    head: "What the samples determine",
    cell: ({ side, method }) => (method === "constrained" ? <SideQuality side={side} /> : null),
  },
];

function Sides({ version }: { version: ModelVersion }): ReactNode {
  const rows = version.sides.flatMap((side) =>
    (["constrained", "lms"] as const).map(
      (method): Row => ({
        key: `${side.side} ${method}`,
        side,
        method,
        used: method === (version.method === "lms" ? "lms" : "constrained"),
      }),
    ),
  );
  return (
    <>
      {version.method === "one-node" && (
        <p className="section-body t2">
          The host has one node: the drop is γ f + c, with γ as α. It is used on this host model only.
        </p>
      )}
      <Table label="Coefficients" columns={COLUMNS} rows={rows} rowKey={({ key }) => key} />
    </>
  );
}

function SideQuality({ side }: { side: SideFit }): ReactNode {
  const full = side.rank === side.columns;
  return (
    <>
      <span className={full ? "" : "warn"}>
        {!full && <Shape name="warn" />}
        rank {side.rank} of {side.columns}
      </span>
      <span className="t3">
        , {side.samples} samples, condition {figure(side.condition)}, {figure(side.rmse_points)} points on its own
        samples
      </span>
      {side.collinear.map((words) => (
        <div key={words} className="t2">
          {words}
        </div>
      ))}
    </>
  );
}

/** Nearer to 0 a coefficient is 0: half of the last digit that is shown. */
const TINY = 0.0005;

/** Below 0 an NF would gain from competitors. */
function coefficient(value: number): ReactNode {
  return <span className={value < -TINY ? "warn" : ""}>{signed(value)}</span>;
}
