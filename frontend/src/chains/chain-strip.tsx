/** The chain as a row of NFs: choose with the arrows, move with Shift and arrows, remove with Delete. */

import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import type { FieldError, NewChainPrediction } from "@/api/types";
import { Shape } from "@/ui/marks";
import type { DraftNf } from "./draft";
import type { Run } from "./draft-path";

export interface ChainStripProps {
  nfs: readonly DraftNf[];
  selected: number;
  errors: readonly FieldError[];
  /** Where its NFs would stand; absent where that is not known. */
  placed?: NewChainPrediction["nfs"] | undefined;
  /** Over several hosts: what stands on each. */
  runs?: readonly Run[];
  onSelect: (index: number) => void;
  onMove: (index: number, by: 1 | -1) => void;
  onRemove: (index: number) => void;
}

export function ChainStrip(props: ChainStripProps): ReactNode {
  const { nfs, selected, errors, placed = [], runs = [], onSelect, onMove, onRemove } = props;
  const list = useRef<HTMLOListElement>(null);
  const refocus = useRef(false);
  useEffect(() => {
    if (!refocus.current) return;
    refocus.current = false;
    list.current?.querySelectorAll("button")[selected]?.focus();
  });

  function press(event: KeyboardEvent, index: number): void {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by !== 0 && event.shiftKey) onMove(index, by);
    else if (by !== 0) onSelect(Math.max(0, Math.min(nfs.length - 1, index + by)));
    else if (event.key === "Delete" || event.key === "Backspace") onRemove(index);
    else return;
    refocus.current = true;
    event.preventDefault();
  }

  return (
    <ol className="chain-strip" aria-label="NFs of the chain, in order" ref={list}>
      <li className="chain-end">in</li>
      {nfs.map((nf, index) => {
        const seat = placed.find((one) => one.nf_id.slice(one.nf_id.indexOf(".") + 1) === nf.name);
        const begins = runs.length > 1 ? runs.find(({ first }) => first === index) : undefined;
        const broken = errors.some((error) => error.field.startsWith(`nfs.${index}.`));
        return (
          <Fragment key={nf.key}>
            <li aria-hidden="true" className={`chain-link ${seat?.crosses ? "crosses" : ""}`} />
            <li>
              <button
                type="button"
                className={`chain-nf ${broken ? "broken" : ""}`}
                aria-pressed={index === selected}
                tabIndex={index === selected ? 0 : -1}
                onClick={() => onSelect(index)}
                onKeyDown={(event) => press(event, index)}
              >
                <span className="t3">
                  {index + 1} {broken && <Shape name="bad" />}
                  {broken && <span className="hidden-text">has errors</span>}
                </span>
                <b>{nf.name}</b>
                <span className="t2">{nf.type}</span>
                {begins && (
                  <span className="t3">{begins.host === "" ? "host not chosen" : `from here on ${begins.host}`}</span>
                )}
                {seat && <span className="t3">{seatWords(seat)}</span>}
              </button>
            </li>
          </Fragment>
        );
      })}
      <li aria-hidden="true" className="chain-link" />
      <li className="chain-end">out</li>
    </ol>
  );
}

/** "core 8, node 0, local": local to the port that its packets arrive on. */
function seatWords({ seat, local, crosses }: NewChainPrediction["nfs"][number]): string {
  const where = local ? "local" : "remote";
  return `core ${seat.core}, node ${seat.node}, ${crosses ? `packets cross, ${where}` : where}`;
}
