/** Shared cores as bars: how much of each its NFs use, the lighter end of an NF what it takes more than alone. */

import type { ReactNode } from "react";
import type { SharingCore, SharingHost } from "@/api/types";
import { ChainTag } from "@/hosts/chain-tag";
import type { Letters } from "@/hosts/letters";
import { percent } from "@/lib/format";
import { Shape } from "@/ui/marks";
import { barOf, lettersOf, type Segment } from "./sharing";
import { divisionText, partText, segmentText } from "./words";

export function CoreBars({ host }: { host: SharingHost }): ReactNode {
  const letters = lettersOf(host);
  return (
    <>
      <ul className="section-body core-bars" aria-label={`Shared cores of ${host.host}`}>
        {host.cores.map((core) => (
          <CoreBar key={core.core} core={core} letters={letters} />
        ))}
      </ul>
      <p className="section-body t3">
        Bar: all of a core’s time, filled as far as its NFs use it; grey: source, sink and other work.{" "}
        {host.cores.some(({ nfs }) => nfs.some(({ alone_us }) => alone_us !== null))
          ? "Lighter end of an NF: what its packets take more than alone."
          : "What packets take alone is not known: no promoted model on this host model is of these NFs’ versions and configurations."}
      </p>
    </>
  );
}

function CoreBar({ core, letters }: { core: SharingCore; letters: Letters }): ReactNode {
  const { segments, others } = barOf(core);
  const held = core.divided && core.held;
  return (
    <li>
      <div className="core-bar-head">
        <b className="strong">
          Core {core.core} <span className="t3">node {core.node}</span>
        </b>
        <span className="t2">{core.busy === null ? "not measured lately" : `${partText(core.busy)} busy`}</span>
        <span className={held ? "warn" : "t2"}>
          {held && <Shape name="warn" />}
          {held ? `${divisionText(core)}, held: ${core.held}` : divisionText(core)}
        </span>
      </div>
      <ul className="core-bar" aria-label={`NFs on core ${core.core}`}>
        {segments.map((segment) => (
          <Part key={segment.nf.nf_id} of={segment} letters={letters} />
        ))}
        {others > 0 && (
          <li className="others" style={{ width: `${others}%` }} title={`others: ${percent(others)} %`}>
            <span className="hidden-text">others: {percent(others)} %</span>
          </li>
        )}
      </ul>
    </li>
  );
}

function Part({ of, letters }: { of: Segment; letters: Letters }): ReactNode {
  const { nf, base, cap } = of;
  const letter = letters.get(nf.chain);
  const whole = base + cap;
  return (
    <li
      className={letter ? `part chain-${letter.toLowerCase()}` : "part"}
      style={{ width: `${whole}%` }}
      title={segmentText(nf)}
    >
      {cap > 0 && <i style={{ width: `${(100 * cap) / whole}%` }} aria-hidden="true" />}
      <ChainTag chain={nf.chain} letters={letters} />
      <span aria-hidden="true">{nf.nf_id}</span>
      <span className="hidden-text">{segmentText(nf)}</span>
    </li>
  );
}
