/** What the lines, letters and greys of the picture mean; only those that it shows. */

import type { ReactNode } from "react";
import { reportsCache, reportsMemory, whyNoCounters } from "@/interference/counters";
import { crossingsOf } from "./tracks";
import type { HostData } from "./use-host";

/** What counters add to the picture, or why they add nothing. */
function CountedKey({ data: { host, nfs } }: { data: HostData }): ReactNode {
  if (!reportsMemory(host) && !reportsCache(nfs)) {
    return <span>memory bandwidth, links and LLC occupancy are not reported: {whyNoCounters(host)}</span>;
  }
  const ways = host.inventory?.nodes.some(({ llc }) => (llc?.ways ?? 0) > 0);
  const nic = host.inventory?.nodes.some(({ llc }) => (llc?.ways_shared_with_nic ?? 0) > 0);
  const parted = nfs.some(({ sample }) => sample?.llc_way_mask != null);
  return (
    <>
      <span>memory bandwidth: by chain, grey network interfaces, system and far cores</span>
      <span>
        LLC:{" "}
        {ways
          ? "one cell per way, filled to the part that the chain's lines occupy"
          : "the part that the chain's lines occupy"}
        {ways && parted && ", framed where it may fill one"}
        {ways && nic && ", hatched where the NIC also writes (DDIO)"}
      </span>
    </>
  );
}

export function PictureKey({ data, tracks, then }: { data: HostData; tracks: boolean; then: boolean }): ReactNode {
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
      {host.reserved_cores.length > 0 && <span>filled corner: reserved by an operator</span>}
      {threads && <span>bracket: threads of one physical core</span>}
      <span>
        core time: by chain, polling included, {chains.length > letters.size && "light grey other chains, "}grey{" "}
        {host.inventory?.ports?.some(({ kind }) => kind === "source")
          ? "packet source and sink, system"
          : "manager, system"}
        , other work
      </span>
      {then ? <span>memory bandwidth, links and LLC occupancy are not kept</span> : <CountedKey data={data} />}
    </p>
  );
}
