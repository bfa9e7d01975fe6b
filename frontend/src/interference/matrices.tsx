/** Interference under one placement of one host: the matrices, their key, and the selected NF in words. */

import { type ReactNode, useMemo, useState } from "react";
import type { Interference } from "@/api/types";
import { count } from "@/lib/format";
import { Choose } from "@/ui/choose";
import { cellSentence, lossSentence, nfText } from "./causes";
import { MANY, matricesOf, WARM_FROM, worstOf } from "./matrix";
import { MatrixTable, type Spot } from "./matrix-table";

const ALL = "all chains";

export function InterferenceMatrices({ interference }: { interference: Interference }): ReactNode {
  const [wanted, setChain] = useState<string | null>(null);
  const chains = useMemo(() => [...new Set(interference.victims.map(({ chain }) => chain))].sort(), [interference]);
  const chain = wanted !== null && chains.includes(wanted) ? wanted : null;
  const matrices = useMemo(() => matricesOf(interference, chain), [interference, chain]);
  const [spot, setSpot] = useState<Spot | null>(null);
  if (interference.victims.length === 0) {
    return (
      <p className="section-body t2">
        {interference.note ? `Nothing to show: ${interference.note}.` : "No NF runs on this host."}
      </p>
    );
  }
  const shown = spot && matrices.some(({ rows }) => rows.includes(spot.row)) ? spot : null;
  const many = interference.victims.length > MANY;
  return (
    <div className="interference-matrices">
      {chains.length > 1 && many && (
        <div className="narrow">
          <Choose
            label="Chain"
            value={chain ?? ALL}
            choices={[ALL, ...chains].map((key) => ({ key, text: key }))}
            onChange={(key) => setChain(key === ALL ? null : key)}
          />
          <span className="t2">{count(interference.victims.length, "NF")}, greatest loss first</span>
        </div>
      )}
      <div className="matrices">
        {matrices.map((matrix) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
          <section className="matrix-room" key={matrix.node} tabIndex={0} aria-label={`Node ${matrix.node}`}>
            {matrices.length > 1 && <h3>node {matrix.node}</h3>}
            <MatrixTable
              matrix={matrix}
              label={`Interference on ${interference.host} node ${matrix.node}, Mpps lost`}
              onSpot={setSpot}
            />
          </section>
        ))}
      </div>
      <Key />
      <Words spot={shown ?? defaultSpot(matrices)} />
      {interference.note && <p className="section-body t3">{interference.note}</p>}
    </div>
  );
}

function defaultSpot(matrices: ReturnType<typeof matricesOf>): Spot | null {
  const row = worstOf(matrices);
  return row ? { row, column: null } : null;
}

/** The NF under the pointer or the focus; before either, the one that loses most. */
function Words({ spot }: { spot: Spot | null }): ReactNode {
  if (!spot) return null;
  const { victim, causes } = { ...spot.row };
  const cause = spot.column ? causes.get(spot.column) : undefined;
  return (
    <p className="interference-words" aria-live="polite">
      <b className="strong">{nfText(victim.nf_id)}</b> {lossSentence(victim)}.
      <span className="t2">{cause ? ` ${cellSentence(victim, cause)}.` : ""}</span>
    </p>
  );
}

function Key(): ReactNode {
  return (
    <p className="interference-key t2">
      <span>lost throughput in Mpps: row, the NF that loses it; column, the NF that causes it</span>
      <span className="warm-key" aria-hidden="true">
        {[0, ...WARM_FROM].map((from, step) => (
          <span key={from}>
            <i className={`warm-${step}`} />
            <em>{step === WARM_FROM.length ? `${from}+` : from}</em>
          </span>
        ))}
      </span>
    </p>
  );
}
