/** The head of a column that rows are sorted by. */

import type { ReactNode } from "react";

export type Direction = "ascending" | "descending" | "none";

export function SortButton(props: { text: string; direction: Direction; onPress: () => void }): ReactNode {
  const arrow = { ascending: "↑", descending: "↓", none: "\u00a0" }[props.direction];
  return (
    <button type="button" className="sort" onClick={props.onPress}>
      {props.text}
      <span className="arrow" aria-hidden="true">
        {arrow}
      </span>
    </button>
  );
}
