/** Where NFs stood at a moment, and what they did. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PastFleet } from "@/api/types";
import { CpuFigure } from "@/fleet/cpu";
import { byName } from "@/fleet/groups";
import { count, figure, percent } from "@/lib/format";
import { live } from "@/live/store";
import { Mark } from "@/ui/marks";
import { PagedTable } from "@/ui/pager";
import { Section } from "@/ui/section";
import type { Column } from "@/ui/table";
import { knownNf } from "./past-fleet";

type PastHost = PastFleet["hosts"][number];
type Row = PastHost["nfs"][number] & Pick<PastHost, "host_id" | "provenance">;

const PAGE = 50;

/** `chain`: only its NFs, with the host of each. */
export function NfsThen(props: { label: string; at: string; hosts: readonly PastHost[]; chain?: string }): ReactNode {
  const { hosts, chain } = props;
  const rows = hosts.flatMap(({ host_id, provenance, nfs }) =>
    nfs
      .filter(({ nf_id }) => chain === undefined || nf_id.split(".")[0] === chain)
      .map((nf): Row => ({ ...nf, host_id, provenance })),
  );
  rows.sort((a, b) => byName(chainOf(a), chainOf(b)) || positionOf(a) - positionOf(b));
  return (
    <Section title="NFs then" note={count(rows.length, "NF")}>
      {rows.length === 0 ? (
        <p className="section-body t2">No NF was reported.</p>
      ) : (
        <PagedTable
          label={props.label}
          columns={columnsOf(chain !== undefined, props.at)}
          rows={rows}
          rowKey={({ nf_id, host_id, core }) => `${nf_id} ${host_id} ${core}`}
          size={PAGE}
          one="NF"
        />
      )}
    </Section>
  );
}

const chainOf = ({ nf_id }: Row) => nf_id.split(".")[0] ?? nf_id;

/** In the order that packets pass them, as it is now: a chain's NFs do not change. */
const positionOf = ({ nf_id }: Row) => knownNf(live.getState(), nf_id)?.position ?? 0;

function columnsOf(ofChain: boolean, at: string): readonly Column<Row>[] {
  return [
    { key: "nf", head: "NF", cell: ({ nf_id }) => nf_id.slice(nf_id.indexOf(".") + 1) },
    ofChain
      ? {
          key: "host",
          head: "Host",
          cell: ({ host_id, core }) => (
            <Link to="/hosts/$id" params={{ id: host_id }} search={{ at, pin: `${core}/0` }}>
              {host_id}
            </Link>
          ),
        }
      : {
          key: "chain",
          head: "Chain",
          cell: ({ nf_id }) => {
            const name = nf_id.split(".")[0] ?? nf_id;
            return (
              <Link to="/chains/$name" params={{ name }} search={{ at }}>
                {name}
              </Link>
            );
          },
        },
    { key: "core", head: "Core", align: "right", cell: ({ core }) => core },
    { key: "rx", head: "In, Mpps", align: "right", cell: (nf) => figure(nf.rx_mpps) },
    { key: "tx", head: "Out, Mpps", align: "right", cell: (nf) => figure(nf.tx_mpps) },
    { key: "drops", head: "Dropped, Mpps", align: "right", cell: (nf) => figure(nf.drop_mpps) },
    { key: "used", head: "Utilisation, %", align: "right", cell: (nf) => percent(nf.utilisation_percent) },
    { key: "cpu", head: "CPU, %", align: "right", cell: (nf) => <CpuFigure sample={nf} /> },
    {
      key: "source",
      head: "Source",
      cell: ({ provenance }) => (
        <>
          <Mark origin={provenance} />
          {provenance}
        </>
      ),
    },
  ];
}
