/** A region of a page: a head, a note beside it, content. Regions are parted by lines, not boxes. */

import type { ReactNode } from "react";

export function Section(props: {
  title: string;
  note?: ReactNode;
  end?: ReactNode;
  padded?: boolean;
  children: ReactNode;
}): ReactNode {
  return (
    <section className="section" aria-label={props.title}>
      <div className="section-head">
        <h2>{props.title}</h2>
        {props.note !== undefined && <span className="t3">{props.note}</span>}
        {props.end !== undefined && <span className="end">{props.end}</span>}
      </div>
      {props.padded ? <div className="section-body">{props.children}</div> : props.children}
    </section>
  );
}
