/** The host's picture as tables: nodes, ports and network interfaces, every core and slot. */

import type { ReactNode } from "react";
import type { CoreSample, HostView } from "@/api/types";
import { reservedText } from "@/capabilities/cores";
import { CpuFigure } from "@/fleet/cpu";
import { lossPercent } from "@/fleet/layers";
import type { Unit } from "@/fleet/model";
import { Predicted, UnitDifference } from "@/fleet/prediction-cells";
import { utilisedText } from "@/fleet/utilisation";
import { linkText, nodeOf, reportsMemory } from "@/interference/counters";
import { DASH, figure, percent } from "@/lib/format";
import { PagedTable } from "@/ui/pager";
import { type Column, Table } from "@/ui/table";
import { ChainName } from "./chain-tag";
import { coreTimeOf } from "./core-time";
import { bytes, llcShares, llcText, shareText, withoutSamples } from "./llc";
import { memorySplit } from "./memory-split";
import { speedText } from "./picture-tracks";
import type { HostData } from "./use-host";
import { nodeTitle } from "./words";

const CORES = 64;

export function HostTables({ data, onPin }: { data: HostData; onPin: (seat: string) => void }): ReactNode {
  return (
    <div className="host-tables">
      <Nodes data={data} />
      <Ports host={data.host} />
      <PagedTable
        label="Every core and slot"
        columns={coreColumns(data, onPin)}
        rows={data.model.units}
        rowKey={({ core, slot }) => `${core.id}/${slot}`}
        size={CORES}
        one="slot"
      />
    </div>
  );
}

function Nodes({ data }: { data: HostData }): ReactNode {
  const { host, letters, figures } = data;
  const rows = [...(host.inventory?.nodes ?? [])].sort((a, b) => a.id - b.id);
  const known = figures !== "none";
  return (
    <Table
      label="NUMA nodes"
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        { key: "node", head: "Node", cell: ({ id }) => `${id} ${nodeTitle(host, id)}` },
        { key: "socket", head: "Socket", align: "right", cell: ({ socket }) => socket },
        { key: "memory", head: "Memory", align: "right", cell: ({ memory_bytes }) => bytes(memory_bytes) },
        { key: "l3", head: "LLC, as reported", cell: ({ id }) => llcText(host, id) },
        {
          key: "ways",
          head: "LLC by chain",
          cell: ({ id }) =>
            llcShares(known ? data.nfs : withoutSamples(data.nfs), id, letters)
              .map((share) => `${share.chain} ${shareText(share)}`)
              .join("; ") || DASH,
        },
        {
          key: "time",
          head: "Core time, cores",
          align: "right",
          cell: ({ id }) => {
            const time = coreTimeOf(host, id, data.nfs, letters);
            return <span className="figure">{`${figure(known ? time.busy : null)} of ${time.cores}`}</span>;
          },
        },
        {
          key: "chains",
          head: "Of which",
          cell: ({ id }) => {
            const { parts, other, busy } = coreTimeOf(host, id, known ? data.nfs : [], letters);
            const words = parts.map(({ chain, amount }) => `${chain ?? "other chains"} ${figure(amount)}`);
            return (
              <span className="figure">
                {[...words, `rest ${figure(known && busy !== null ? other : null)}`].join(", ")}
              </span>
            );
          },
        },
        ...(reportsMemory(host) ? memoryColumns(data) : []),
      ]}
    />
  );
}

/** Only of hosts that report them: a column of dashes says nothing. */
function memoryColumns(data: HostData): readonly Column<{ id: number }>[] {
  const { host, letters, figures } = data;
  const known = figures !== "none";
  const split = (id: number) => (known ? memorySplit(host, id, data.nfs, letters) : null);
  return [
    {
      key: "bandwidth",
      head: "Memory, GB/s",
      align: "right",
      cell: ({ id }) => <Fig>{figure(scaled(split(id)?.total))}</Fig>,
    },
    { key: "peak", head: "of its peak, %", align: "right", cell: ({ id }) => <Fig>{percent(split(id)?.load)}</Fig> },
    {
      key: "readers",
      head: "Of which, GB/s",
      cell: ({ id }) => {
        const found = split(id);
        const words = found?.parts.map(({ chain, amount }) => `${chain ?? "other chains"} ${figure(scaled(amount))}`);
        return <Fig>{found ? [...(words ?? []), `rest ${figure(scaled(found.rest))}`].join(", ") : DASH}</Fig>;
      },
    },
    {
      key: "link",
      head: "Link",
      cell: ({ id }) => {
        const sample = known ? nodeOf(host, id) : null;
        return <span className="figure nowrap">{sample?.link_load_percent == null ? DASH : linkText(sample)}</span>;
      },
    },
  ];
}

/** In GB/s. */
function scaled(bytesPerSecond: number | undefined): number | null {
  return bytesPerSecond === undefined ? null : bytesPerSecond / 1e9;
}

function Ports({ host }: { host: HostView }): ReactNode {
  const { ports = [], nics = [] } = host.inventory ?? {};
  const rows = [
    ...ports
      .filter(({ name }) => !nics.some((nic) => nic.name === name))
      .map(({ name, kind, node }) => ({ name, kind, node, speed: DASH, driver: DASH })),
    ...nics.map(({ name, node, speed_mbps, driver, pci_address }) => ({
      name,
      kind: "NIC",
      node,
      speed: speedText(speed_mbps),
      driver: [driver, pci_address].filter(Boolean).join(" at ") || DASH,
    })),
  ];
  return (
    <Table
      label="Ports and network interfaces"
      rows={rows}
      rowKey={({ kind, name }) => `${kind} ${name}`}
      columns={[
        { key: "name", head: "Port or NIC", cell: ({ name }) => name },
        { key: "kind", head: "Kind", cell: ({ kind }) => kind },
        { key: "node", head: "Node", align: "right", cell: ({ node }) => node ?? "not known" },
        { key: "speed", head: "Speed", align: "right", cell: ({ speed }) => speed },
        { key: "driver", head: "Driver", cell: ({ driver }) => driver },
      ]}
    />
  );
}

function otherWorkCell(sample: CoreSample | undefined): string {
  const measuring = sample?.measuring_percent;
  return measuring == null ? percent(sample?.other_percent) : `${percent(measuring)} measuring`;
}

function coreColumns(data: HostData, onPin: (seat: string) => void): readonly Column<Unit>[] {
  const sample = (unit: Unit) => (data.figures === "none" ? null : unit.nf?.sample);
  const reported = new Map(data.figures === "none" ? [] : data.host.cores.map((each) => [each.core, each]));
  return [
    {
      key: "core",
      head: "Node/core",
      cell: ({ node, core, slot }) => (
        <button type="button" className="link" onClick={() => onPin(`${core.id}/${slot}`)}>
          {node}/{core.id}
        </button>
      ),
    },
    { key: "siblings", head: "Siblings", cell: ({ core }) => core.siblings?.join(", ") || DASH },
    {
      key: "busy",
      head: "Core busy, %",
      align: "right",
      cell: ({ core }) => percent(reported.get(core.id)?.busy_percent),
    },
    {
      key: "other",
      head: "Other work, %",
      align: "right",
      title: "What neither NFs nor source and sink used of it. An NF type that is measured here gives way to NFs.",
      cell: ({ core }) => otherWorkCell(reported.get(core.id)),
    },
    {
      key: "slot",
      head: "Slot",
      align: "right",
      cell: ({ core, slot }) => ((core.slots ?? 1) > 1 ? `${slot + 1} of ${core.slots}` : DASH),
    },
    {
      key: "nf",
      head: "NF",
      cell: (unit) =>
        unit.nf ? unit.nf.nf_id.slice(unit.nf.chain.length + 1) : <span className="t3">{coreWords(unit)}</span>,
    },
    {
      key: "chain",
      head: "Chain",
      cell: ({ nf }) => nf && <ChainName chain={nf.chain} letters={data.letters} />,
    },
    {
      key: "utilisation",
      head: "Utilisation, %",
      align: "right",
      cell: (unit) => unit.nf && <Fig>{utilisedText(sample(unit))}</Fig>,
    },
    {
      key: "headroom",
      head: "Headroom, Mpps",
      align: "right",
      cell: (unit) => unit.nf && <Fig>{figure(sample(unit)?.headroom_mpps)}</Fig>,
    },
    {
      key: "cpu",
      head: "CPU, %",
      align: "right",
      cell: (unit) =>
        unit.nf && (
          <Fig>
            <CpuFigure sample={sample(unit)} />
          </Fig>
        ),
    },
    {
      key: "mpps",
      head: "Mpps",
      align: "right",
      cell: (unit) => unit.nf && <Fig>{figure(sample(unit)?.tx_mpps)}</Fig>,
    },
    {
      key: "drops",
      head: "Drops, %",
      align: "right",
      cell: (unit) => {
        const own = sample(unit);
        return unit.nf && <Fig>{own ? percent(lossPercent(own)) : DASH}</Fig>;
      },
    },
    {
      key: "predicted",
      head: "Predicted of its chain, Mpps",
      align: "right",
      cell: ({ nf, standing }) => nf && <Predicted standing={standing} />,
    },
    {
      key: "difference",
      head: "Difference, %",
      align: "right",
      cell: (unit) => <UnitDifference unit={unit} />,
    },
    { key: "state", head: "State", cell: ({ nf, limits }) => (limits ? "limits a violated chain" : (nf?.state ?? "")) },
  ];
}

function coreWords({ core, kind }: Unit): string {
  if (core.reserved_for) return reservedText(core.reserved_for);
  if (core.slots === 0) return "not available to NFs";
  const words = kind === "other" ? "no NF" : "free";
  return core.last_choice ? `${words}, used last` : words;
}

function Fig({ children }: { children: ReactNode }): ReactNode {
  return <span className="figure">{children}</span>;
}
