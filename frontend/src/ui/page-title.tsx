/** The title line: path, name, facts, actions. */

import { type ReactNode, useEffect } from "react";

export function PageTitle(props: {
  name: string;
  path?: ReactNode;
  facts?: ReactNode;
  actions?: ReactNode;
}): ReactNode {
  useEffect(() => {
    document.title = `${props.name} · Sextant`;
  }, [props.name]);
  return (
    <div className="title">
      <h1>
        {props.path && <span className="path">{props.path} / </span>}
        {props.name}
      </h1>
      {props.facts && <div className="title-facts">{props.facts}</div>}
      {props.actions && <div className="title-actions">{props.actions}</div>}
    </div>
  );
}
