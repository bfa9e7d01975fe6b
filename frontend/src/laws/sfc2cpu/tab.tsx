/** The tab Shared cores (sfc2cpu): hosts whose NFs share cores, and the one that is open. */

import type { ReactNode } from "react";
import { SharedCoresOfHost } from "./host-view";
import { HostsTable } from "./hosts-table";
import { Networks } from "./networks";
import { RevertedBanner } from "./reverted";
import type { SharedCoresSearch } from "./search";

export function SharedCoresTab({ search }: { search: SharedCoresSearch }): ReactNode {
  return (
    <>
      <RevertedBanner />
      <HostsTable chosen={search.host} />
      {search.host ? (
        <SharedCoresOfHost key={search.host} name={search.host} />
      ) : (
        <p className="section-body below-table t2">
          Choose a host to see its shared cores: what each NF uses, what its packets cost beside others, and who divides
          the core.
        </p>
      )}
      <Networks host={search.host} />
    </>
  );
}
