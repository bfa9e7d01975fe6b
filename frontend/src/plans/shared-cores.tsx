/** What shared cores are asked for, and what chains carry there, beside the automatic choice: plans by CoCo and by sfc2cpu. */

import type { ReactNode } from "react";
import type { CompactChain, CompactCore } from "@/api/types";
import { count, figure, percent } from "@/lib/format";
import { Mark } from "@/ui/marks";

/** `full`: percent of a core that may be needed. */
export function SharedCores({
  label,
  cores,
  full,
}: {
  label: string;
  cores: readonly CompactCore[];
  full: number;
}): ReactNode {
  const used = cores.filter((core) => core.before_percent + core.nfs_percent + core.others_percent > 0);
  const idle = cores.length - used.length;
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Core</th>
          <th scope="col" className="num">
            NFs need now, %
          </th>
          <th scope="col" className="num">
            after, %
          </th>
          <th scope="col" className="num" title="Other work; on their core, the chains' source and sink">
            all else, %
          </th>
        </tr>
      </thead>
      <tbody>
        {used.map(({ core, before_percent, nfs_percent, others_percent }) => (
          <tr key={core}>
            <th scope="row">{core}</th>
            <td className="num">{percent(before_percent)}</td>
            <td className="num">
              <b className={nfs_percent + others_percent > full + 1e-6 ? "warn" : "strong"}>{percent(nfs_percent)}</b>
            </td>
            <td className="num">{percent(others_percent)}</td>
          </tr>
        ))}
        {idle > 0 && (
          <tr>
            <td className="t2" colSpan={4}>
              {count(idle, used.length > 0 ? "other core" : "core")} {idle === 1 ? "needs" : "need"} nothing, before and
              after
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

export function BesideAutomatic({ chains }: { chains: readonly CompactChain[] }): ReactNode {
  return (
    <table aria-label="Predicted, beside the automatic choice">
      <thead>
        <tr>
          <th scope="col">Chain</th>
          <th scope="col" className="num">
            <Mark origin="predicted" />
            here, Mpps
          </th>
          <th scope="col" className="num">
            <Mark origin="predicted" />
            automatic, Mpps
          </th>
        </tr>
      </thead>
      <tbody>
        {chains.map(({ chain, mpps, automatic_mpps }) => (
          <tr key={chain}>
            <th scope="row">{chain}</th>
            <td className="num">{figure(mpps)}</td>
            <td className="num">{figure(automatic_mpps)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
