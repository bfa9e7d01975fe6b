/** What does not fit: what is short, where, by how much, why in as few reasons as there can be, and what would help: each
 * such thing can be planned as if it were so. */

import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import type { PlanIntent } from "@/api/actions";
import { DEFAULT_SOLVING } from "@/api/defaults";
import { asProblem } from "@/api/problem";
import type { Assumption, Rejection, Relaxation } from "@/api/types";
import { count } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Shape } from "@/ui/marks";
import { Pager, usePages } from "@/ui/pager";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { useAskPlan } from "./ask-plan";

/** `linked`: the chains are those of this fleet. `stays`: they run, and cannot go where they were to. `assumed`: what the
 * plan itself assumes. */
export function DoesNotFit(props: {
  rejected: readonly Rejection[];
  linked?: boolean;
  stays?: boolean;
  assumed?: readonly Assumption[];
}): ReactNode {
  const { rejected, linked = true, stays = false } = props;
  const pages = usePages(alike(rejected), 5);
  if (rejected.length === 0) return null;
  return (
    <Section title={stays ? "Cannot move" : "Does not fit"} note={count(rejected.length, "chain")} padded>
      {pages.shown.map(({ chains, rejection }) => (
        <div key={rejection.chain} className="rejection">
          <Shape name="warn" />
          <div>
            <p>
              {chains.map((name, index) => (
                <Fragment key={name}>
                  {index > 0 && ", "}
                  {linked ? (
                    <Link className="strong" to="/chains/$name" params={{ name }}>
                      {name}
                    </Link>
                  ) : (
                    <b className="strong">{name}</b>
                  )}
                </Fragment>
              ))}
              {chains.length > 1 ? ": " : " "}
              {rejection.short && <>lacks {shortText(rejection.short)}; </>}
              <span className="t2">{rejection.reason}</span>
            </p>
            <Conflict reasons={rejection.conflict ?? []} />
            <Ways rejection={rejection} assumed={props.assumed ?? []} plannable={linked && !stays} />
          </div>
        </div>
      ))}
      <Pager pages={pages} one="reason" many="reasons" />
    </Section>
  );
}

/** Chains that are refused in the same words, where none of these leads to a plan for one chain alone. */
export function alike(rejected: readonly Rejection[]): { chains: string[]; rejection: Rejection }[] {
  const found = new Map<string, { chains: string[]; rejection: Rejection }>();
  for (const rejection of rejected) {
    const { chain, ...words } = rejection;
    const plannable = (rejection.relaxations ?? []).some((way) => intentOf(chain, way, []) !== null);
    const key = plannable ? chain : JSON.stringify(words);
    const same = found.get(key);
    if (same) same.chains.push(chain);
    else found.set(key, { chains: [chain], rejection });
  }
  return [...found.values()];
}

function Conflict({ reasons }: { reasons: readonly string[] }): ReactNode {
  if (reasons.length === 0) return null;
  return (
    <div className="conflict">
      <span className="t2">The fewest reasons that together exclude every host:</span>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </div>
  );
}

/** Plans of an earlier version name the cheapest alone, and nothing to plan. */
function Ways(props: { rejection: Rejection; assumed: readonly Assumption[]; plannable: boolean }): ReactNode {
  const { rejection, plannable } = props;
  const ways =
    rejection.relaxations ?? (rejection.relax === null ? [] : [{ text: rejection.relax, assume: [], move: null }]);
  if (ways.length === 0) return null;
  return (
    <>
      <p className="t2">What would help:</p>
      {ways.map((way) => (
        <Way
          key={way.text}
          way={way}
          intent={plannable ? intentOf(rejection.chain, way, props.assumed) : null}
          leads={plannable ? { host: rejection.short?.host ?? null } : null}
        />
      ))}
    </>
  );
}

/** What shows the effect of a relaxation; null where nothing can be assumed, as more hardware. */
export function intentOf(chain: string, way: Relaxation, assumed: readonly Assumption[]): PlanIntent | null {
  if (way.move) return { kind: "relocate", ...way.move };
  const assume = way.assume ?? [];
  return assume.length === 0 ? null : { kind: "place", chain, assume: [...assumed, ...assume] };
}

/** `leads`: where one goes for what no plan can try: to the host that is short of slots, or to the fleet for another. */
function Way(props: {
  way: Relaxation;
  intent: PlanIntent | null;
  leads: { readonly host: string | null } | null;
}): ReactNode {
  const { way, intent, leads } = props;
  const ask = useAskPlan(intent);
  const reason = useActReason("plans.apply");
  return (
    <>
      <div className="relax">
        <b className="strong">{way.text}</b>
        {intent && (
          <span className="row-actions tight">
            <Button
              small
              onClick={() => ask.mutate(DEFAULT_SOLVING)}
              reason={reason ?? (ask.isPending ? "A plan is being made." : null)}
            >
              {intent.kind === "relocate" ? "Plan this move" : "Preview"}
            </Button>
            <CopyButton text={cli.askPlan(intent, DEFAULT_SOLVING)} curl={curls.askPlan(intent, DEFAULT_SOLVING)} />
          </span>
        )}
        {!intent && leads?.host === null && (
          <Link className="btn small" to="/">
            Open the fleet
          </Link>
        )}
        {!intent && leads?.host && (
          <Link className="btn small" to="/hosts/$id" params={{ id: leads.host }}>
            Open {leads.host}
          </Link>
        )}
      </div>
      {ask.error && <PartProblem problem={asProblem(ask.error)} />}
    </>
  );
}

/** "2 slots on edge-1 node 0"; on exclusive cores a slot is a core. */
export function shortText(short: NonNullable<Rejection["short"]>): string {
  const where = [short.host, short.node === null ? null : `node ${short.node}`].filter(Boolean).join(" ");
  return `${count(short.cores, "slot")}${where ? ` on ${where}` : ""}`;
}
