/** The window that `?` opens: the keys, where the API and the command line are described, and the version. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { versionQuery } from "@/api/version";
import { LAYERS } from "@/fleet/layers";
import { Window } from "@/ui/dialog";

interface Key {
  readonly keys: readonly string[];
  readonly effect: string;
}

const EVERYWHERE: readonly Key[] = [
  { keys: ["Ctrl K"], effect: "Find a host, chain, NF, plan, operation, page or action" },
  { keys: ["N"], effect: "New chain" },
  { keys: ["?"], effect: "This list" },
];

const ON_MAPS: readonly Key[] = [
  ...LAYERS.map(({ title, keys }) => ({ keys: keys.map((key) => key.toUpperCase()), effect: title })),
  { keys: ["T"], effect: "Map or table" },
  { keys: ["←", "→", "↑", "↓"], effect: "Next core, once the map has the focus" },
  { keys: ["Shift"], effect: "With arrows: next node" },
  { keys: ["PgUp", "PgDn"], effect: "Next host" },
  { keys: ["Enter", "P"], effect: "Pin the core beside the map" },
  { keys: ["Esc"], effect: "Unpin" },
];

export function Help({ open, onClose }: { open: boolean; onClose: () => void }): ReactNode {
  const { data } = useQuery({ ...versionQuery, enabled: open });
  return (
    <Window open={open} title="Keys and references" onClose={onClose}>
      <Keys title="Everywhere" keys={EVERYWHERE} />
      <Keys title="Fleet and host" keys={ON_MAPS} />
      <section aria-label="API and command line">
        <h3>API and command line</h3>
        <p className="t2">
          <a href="/docs">API reference</a>: every endpoint, field and schema of this console. For tools:{" "}
          <a href="/openapi.json">openapi.json</a>.
        </p>
        {data && <p className="t2">Sextant {data.version}</p>}
        <p className="t2">
          <code className="command">sextant --help</code> lists the commands. <b className="strong">Copy as CLI</b>{" "}
          beside a button gives the command that does the same.
        </p>
      </section>
    </Window>
  );
}

function Keys({ title, keys }: { title: string; keys: readonly Key[] }): ReactNode {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl className="keys">
        {keys.map(({ keys: names, effect }) => (
          <div key={effect}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
