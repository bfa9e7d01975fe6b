/** What limits a chain: the measured NF, whether the model expects another, and what the model says it loses to whom. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ChainView, NfView } from "@/api/types";
import { BesideNf } from "@/fleet/beside";
import { limitText, nfName } from "@/fleet/limit";
import { lossText, nfText } from "@/interference/causes";
import { figure } from "@/lib/format";
import { Mark, type Origin, Shape } from "@/ui/marks";
import { type Blame, unlimitedText } from "./blame";
import { takersOf } from "./explain";

/** Takers that are named; the tables below have all. */
const NAMED = 2;

export function LimitedBy(props: {
  chain: ChainView;
  nfs: ReadonlyMap<string, NfView>;
  blame: Blame;
  /** Of what the model says. */
  origin: Origin | undefined;
}): ReactNode {
  const { chain, nfs, blame, origin = "predicted" } = props;
  const { limit, nfId, victim } = blame;
  const takers = takersOf(victim).slice(0, NAMED);
  return (
    <>
      <Measured chain={chain} nfs={nfs} blame={blame} />
      {nfId !== null && (
        <span className="block t2">
          <Mark origin={origin} />
          {limit ? "the model: it " : `${nfText(nfId).split(" of ")[0]} is the predicted bottleneck; it `}
          {victim ? lossText(victim) : "is not predictable on its own"}
          {takers.map(({ nf, chain: taker, lost: taken }) => (
            <span key={nf}>
              , {figure(taken)} to{" "}
              <Link to="/chains/$name" params={{ name: taker }}>
                {nfText(nf)}
              </Link>
            </span>
          ))}
        </span>
      )}
    </>
  );
}

/** The NF that is measured to limit the chain, and that the model expects another where it does. */
export function Measured(props: { chain: ChainView; nfs: ReadonlyMap<string, NfView>; blame: Blame }): ReactNode {
  const { chain, nfs, blame } = props;
  const { limit, disagreement } = blame;
  return (
    <>
      <Mark origin={chain.provenance} />
      {limit ? (
        <>
          <b className="strong">{nfName(limit.nf)}</b> {limitText(limit)}
          <BesideNf limit={limit} />
        </>
      ) : (
        unlimitedText(chain, [...nfs.values()])
      )}
      {disagreement && (
        <span className="block warn">
          <Shape name="warn" />
          {disagreement}
        </span>
      )}
    </>
  );
}
