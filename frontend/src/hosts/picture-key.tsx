/** What the lines, letters and greys of the picture mean; only those that it shows. */

import type { ReactNode } from "react";
import { crossingsOf } from "./tracks";
import type { HostData } from "./use-host";

export function PictureKey({ data, tracks }: { data: HostData; tracks: boolean }): ReactNode {
  const { chains, letters, nfs, host, model } = data;
  if (chains.length === 0) return null;
  const crosses = tracks && chains.some(({ spec }) => crossingsOf(nfs.filter((nf) => nf.chain === spec.name)) > 0);
  const threads = model.cores.flat().some(({ core }) => (core.siblings?.length ?? 0) > 0);
  return (
    <p className="picture-words t3">
      <span>A2: second NF of chain A</span>
      {chains.length > letters.size && (
        <span>
          letters of the {letters.size} most valuable of {chains.length} chains
        </span>
      )}
      {crosses && <span>thick: packets cross to another node; dotted: their way back</span>}
      {threads && <span>bracket: threads of one physical core</span>}
      <span>
        core time: by chain, {chains.length > letters.size && "light grey other chains, "}grey{" "}
        {host.inventory?.driver === "testbed" ? "packet source and sink, system" : "manager, system"}
      </span>
    </p>
  );
}
