/** A chain's letter on its colour, beside its name; nothing but room where it has none. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Letters } from "./letters";

export function ChainTag({ chain, letters }: { chain: string; letters: Letters }): ReactNode {
  const letter = letters.get(chain);
  return <span className={letter ? `tag chain-${letter.toLowerCase()}` : "tag none"}>{letter}</span>;
}

export function ChainName({ chain, letters }: { chain: string; letters: Letters }): ReactNode {
  return (
    <span className="nowrap">
      <ChainTag chain={chain} letters={letters} />
      <Link to="/chains/$name" params={{ name: chain }}>
        {chain}
      </Link>
    </span>
  );
}
