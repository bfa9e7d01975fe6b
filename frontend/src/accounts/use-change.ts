/** What changes a user, and reads the users anew, whatever becomes of it. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { changeUser, USERS } from "@/api/account-queries";
import type { Role, UserView } from "@/api/types";

export function useChange(user: UserView) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wanted: { role: Role | null; disabled: boolean | null }) => changeUser(user, wanted),
    onSettled: () => void client.invalidateQueries({ queryKey: USERS }),
  });
}
