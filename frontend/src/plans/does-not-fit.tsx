/** What does not fit: what is short, where, by how much, and the cheapest thing that would help. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Rejection } from "@/api/types";
import { count } from "@/lib/format";
import { Shape } from "@/ui/marks";
import { Pager, usePages } from "@/ui/pager";
import { Section } from "@/ui/section";

/** `linked`: the chains are those of this fleet. `stays`: they run, and cannot go where they were to. */
export function DoesNotFit(props: { rejected: readonly Rejection[]; linked?: boolean; stays?: boolean }): ReactNode {
  const { rejected, linked = true, stays = false } = props;
  const pages = usePages(rejected, 5);
  if (rejected.length === 0) return null;
  return (
    <Section title={stays ? "Cannot move" : "Does not fit"} note={count(rejected.length, "chain")} padded>
      {pages.shown.map((rejection) => (
        <div key={rejection.chain} className="rejection">
          <Shape name="warn" />
          <div>
            <p>
              {linked ? (
                <Link className="strong" to="/chains/$name" params={{ name: rejection.chain }}>
                  {rejection.chain}
                </Link>
              ) : (
                <b className="strong">{rejection.chain}</b>
              )}{" "}
              {rejection.short && <>lacks {shortText(rejection.short)}; </>}
              <span className="t2">{rejection.reason}</span>
            </p>
            {rejection.relax && (
              <p className="relax">
                <span className="t2">What would help:</span> <b className="strong">{rejection.relax}</b>
              </p>
            )}
          </div>
        </div>
      ))}
      <Pager pages={pages} one="chain that does not fit" many="chains that do not fit" />
    </Section>
  );
}

/** "2 slots on edge-1 node 0"; on exclusive cores a slot is a core. */
export function shortText(short: NonNullable<Rejection["short"]>): string {
  const where = [short.host, short.node === null ? null : `node ${short.node}`].filter(Boolean).join(" ");
  return `${count(short.cores, "slot")}${where ? ` on ${where}` : ""}`;
}
