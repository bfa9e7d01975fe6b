/** Tabs of the page Automation: all control laws, and one for each law with a view of its own. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

export type LawTab = "octans" | "numasfp" | "coco" | "sfc2cpu" | "srv6";

const LAWS: readonly { readonly key: LawTab; readonly text: string }[] = [
  { key: "octans", text: "Octans" },
  { key: "numasfp", text: "NUMASFP" },
  { key: "coco", text: "CoCo" },
  { key: "sfc2cpu", text: "Shared cores" },
  { key: "srv6", text: "SRv6-INT" },
];

export function lawTab(raw: unknown): LawTab | undefined {
  return LAWS.find(({ key }) => key === raw)?.key;
}

export function LawTabs(): ReactNode {
  return (
    <nav className="tabs" aria-label="Control laws">
      <Link to="/automation" search={{}} activeOptions={{ exact: true }}>
        All laws
      </Link>
      {LAWS.map(({ key, text }) => (
        <Link key={key} to="/automation" search={{ tab: key }}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
