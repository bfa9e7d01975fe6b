/** The host's picture; while an NF is to move, with what is predicted on each core, where a click plans the move. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { moveTargetsQuery } from "@/api/queries";
import { useMove } from "@/fleet/migrate-form";
import { useActReason } from "@/session/permission";
import { HostPicture } from "./picture";
import type { HostData } from "./use-host";

export function MovingPicture(props: {
  data: HostData;
  pinned: string | null;
  onPin: (seat: string | null) => void;
  /** The NF's id. */
  moving: string | undefined;
}): ReactNode {
  const nf = props.data.nfs.find(({ nf_id }) => nf_id === props.moving);
  const reason = useActReason("plans.apply");
  const { data: targets } = useQuery({ ...moveTargetsQuery(props.moving ?? ""), enabled: nf !== undefined });
  const move = useMove(nf);
  const shown = nf && targets && reason === null && !move.isPending ? targets : null;
  return (
    <HostPicture
      data={props.data}
      pinned={props.pinned}
      onPin={props.onPin}
      moving={shown && { targets: shown, onChoose: (core) => move.mutate(core) }}
    />
  );
}
