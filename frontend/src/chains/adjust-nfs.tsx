/** CPU share and quota of each NF, beside what it used of its core and how long its quota held it still. */

import { type ReactNode, useId } from "react";
import type { ChainView, NfView } from "@/api/types";
import { cannotOf } from "@/capabilities/cannot";
import { CpuFigure } from "@/fleet/cpu";
import { percent } from "@/lib/format";
import { useLiveList } from "@/live/store";
import { Shape } from "@/ui/marks";
import { type CpuSetting, cpuPath, type Edits, shownText } from "./adjust";

export function AdjustNfs(props: {
  chain: ChainView;
  nfs: ReadonlyMap<string, NfView>;
  edits: Edits;
  onEdit: (path: string, text: string) => void;
  message: (path: string) => string | undefined;
}): ReactNode {
  const { chain, nfs, edits, onEdit, message } = props;
  const { spec } = chain;
  // Within its bounds the host sets it, whatever is asked for here.
  const all = spec.quota_bounds ? `${spec.quota_bounds.least_percent}–${spec.quota_bounds.most_percent}` : "all";
  return (
    <table className="adjust-nfs" aria-label={`CPU of the NFs of ${spec.name}`}>
      <thead>
        <tr>
          <th scope="col">NF</th>
          <th scope="col" title="Weight against everything else on its core; empty: 100">
            CPU share
          </th>
          <th
            scope="col"
            title="Largest part of its core that it may use; empty: all, or what its host sets within its quota bounds"
          >
            Quota, %
          </th>
          <th scope="col" className="num" title="CPU time it used over wall time">
            Used, %
          </th>
          <th scope="col" className="num" title="Share of the time in which its quota stopped it">
            Throttled, %
          </th>
        </tr>
      </thead>
      <tbody>
        {spec.nfs.map(({ name }) => {
          const sample = nfs.get(`${spec.name}.${name}`)?.sample;
          const field = (setting: CpuSetting, label: string, empty: string) => (
            <CpuField
              label={`${label} of ${name}`}
              empty={empty}
              value={shownText(spec, edits, cpuPath(name, setting))}
              error={message(cpuPath(name, setting))}
              onChange={(text) => onEdit(cpuPath(name, setting), text)}
            />
          );
          return (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{field("cpu_share", "CPU share", "100")}</td>
              <td>{field("cpu_quota_percent", "CPU quota", all)}</td>
              <td className="num figure">
                <CpuFigure sample={sample} />
              </td>
              <td className="num figure">{percent(sample?.throttled_percent)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function CpuField(props: {
  label: string;
  empty: string;
  value: string;
  error: string | undefined;
  onChange: (text: string) => void;
}): ReactNode {
  const id = useId();
  const { error } = props;
  return (
    <>
      <input
        className="input"
        inputMode="decimal"
        aria-label={props.label}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : id}
        placeholder={props.empty}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      />
      {error !== undefined && (
        <span className="message bad" id={id}>
          {error}
        </span>
      )}
    </>
  );
}

/** Hosts of the chain on which shares and quotas have no effect, and why. The chain runs there all the same. */
export function NoCpuControl({ chain }: { chain: ChainView }): ReactNode {
  const found = useLiveList(({ hosts }) =>
    cannotOf(chain, hosts, "cpu-share").map(({ host, reason }) => `${host}: ${reason}`),
  );
  return found.map((words) => (
    <p key={words} className="t2 reason">
      <Shape name="warn" />
      No effect on {words}
    </p>
  ));
}
