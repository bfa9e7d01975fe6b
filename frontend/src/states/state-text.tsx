/** A state on a page: mark and words in its colour. */

import type { ReactNode } from "react";
import { Shape } from "@/ui/marks";
import type { StateLook } from "./table";

export function StateText(props: {
  look: StateLook;
  /** The API's own name, shown after the words where it is another one: for searching. */
  code?: string;
  children?: ReactNode;
}): ReactNode {
  const { look, code, children } = props;
  const { words, shape, tone, why } = look;
  return (
    <span className={tone ? `nowrap ${tone}` : "nowrap"} title={why}>
      {shape && <Shape name={shape} />}
      {words}
      {code && !isSaid(code, words) && <span className="mono t3"> {code}</span>}
      {children}
    </span>
  );
}

function isSaid(code: string, words: string): boolean {
  return code.toLowerCase().replaceAll("_", " ") === words;
}
