/** The chain as a row of NFs: choose with the arrows, move with Shift and arrows, remove with Delete. */

import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import type { FieldError } from "@/api/types";
import { Shape } from "@/ui/marks";
import type { DraftNf } from "./draft";

export interface ChainStripProps {
  nfs: readonly DraftNf[];
  selected: number;
  errors: readonly FieldError[];
  onSelect: (index: number) => void;
  onMove: (index: number, by: 1 | -1) => void;
  onRemove: (index: number) => void;
}

export function ChainStrip(props: ChainStripProps): ReactNode {
  const { nfs, selected, errors, onSelect, onMove, onRemove } = props;
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
        const broken = errors.some((error) => error.field.startsWith(`nfs.${index}.`));
        return (
          <Fragment key={nf.key}>
            <li aria-hidden="true" className="chain-link" />
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
