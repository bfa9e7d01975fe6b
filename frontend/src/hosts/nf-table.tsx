/** The NFs on this host: what runs, where, and what was measured of each; a row opens to move its NF, or to give it other resources. */

import { type ReactNode, useState } from "react";
import type { NfView } from "@/api/types";
import { MigrateForm } from "@/fleet/migrate-form";
import { ResourcesForm } from "@/fleet/resources-form";
import { useTies } from "@/fleet/use-ties";
import { reportsCache } from "@/interference/counters";
import { thousands } from "@/lib/format";
import { ColumnChoice } from "@/ui/column-choice";
import { SortableTable } from "@/ui/sortable-table";
import type { TableView } from "@/ui/table-view";
import { NF_COLUMNS, type NfForm, type NfRow, UNCOUNTED_NF_COLUMNS } from "./nf-columns";
import type { HostData } from "./use-host";

/** NFs of a page; more are turned over, and can be narrowed. */
const PAGE = 50;

interface NfTableProps {
  data: HostData;
  view: TableView;
  onView: (view: TableView) => void;
}

function columnsOf({ nfs }: HostData) {
  return reportsCache(nfs) ? NF_COLUMNS : UNCOUNTED_NF_COLUMNS;
}

export function NfColumnChoice({ data, view, onView }: NfTableProps): ReactNode {
  return <ColumnChoice columns={columnsOf(data)} view={view} onView={onView} small />;
}

export function NfTable(props: NfTableProps & { onPin: (seat: string) => void }): ReactNode {
  const { data, view, onView, onPin } = props;
  const tied = useTies();
  const [text, setText] = useState("");
  const [opened, setOpened] = useState<{ nf: string; form: NfForm } | null>(null);
  const wanted = text.trim().toLowerCase();
  const found = data.nfs.filter(({ nf_id, nf_type }) => nf_id.includes(wanted) || nf_type.includes(wanted));
  const known = data.figures !== "none";
  const rows = found.map(
    (nf): NfRow => ({
      nf,
      unit: data.model.units.find((each) => each.nf?.nf_id === nf.nf_id),
      sample: known ? nf.sample : null,
      known,
      letters: data.letters,
      tied: tied.get(nf.nf_id),
      open: opened?.nf === nf.nf_id ? opened.form : null,
      onOpen: (form) => setOpened(opened?.nf === nf.nf_id && opened.form === form ? null : { nf: nf.nf_id, form }),
      onPin,
    }),
  );
  return (
    <>
      {data.nfs.length > PAGE && (
        <div className="narrow">
          <input
            className="input"
            type="search"
            aria-label="Show only NFs whose name, chain or type contains"
            placeholder="NF, chain or type"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <span className="t2">
            {found.length < data.nfs.length && `${found.length} of ${thousands(data.nfs.length)} NFs`}
          </span>
        </div>
      )}
      <SortableTable
        label={`NFs on ${data.host.host_id}`}
        className="host-nfs"
        columns={columnsOf(data)}
        rows={rows}
        rowKey={({ nf }) => nf.nf_id}
        rowClass={({ unit, open }) => [unit?.limits ? "limits" : "", open ? "with-note" : ""].join(" ").trim()}
        note={({ nf, open }) => open && <OpenForm nf={nf} form={open} data={data} onClose={() => setOpened(null)} />}
        view={view}
        onView={onView}
        pages={{ size: PAGE, one: "NF" }}
      />
    </>
  );
}

function OpenForm(props: { nf: NfView; form: NfForm; data: HostData; onClose: () => void }): ReactNode {
  const { nf, form, data, onClose } = props;
  if (form === "migrate") return <MigrateForm nf={nf} onClose={onClose} />;
  return <ResourcesForm nf={nf} host={data.host} nfs={data.nfs} onClose={onClose} />;
}
