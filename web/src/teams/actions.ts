import { keyed, useAction } from "../api/actions";
import { api, take } from "../api/client";
import { ProblemError } from "../api/problem";
import type { AssignableRole, Member } from "./queries";

const REFRESHES = [["team", "members"]];

/** Answer to an invitation: the new member, or null where a mail invites somebody who is not registered. */
async function invite(email: string, role: AssignableRole, key: string): Promise<Member | null> {
  try {
    const call = api.POST("/api/teams/current/invite", { body: { email, role }, headers: keyed(key) });
    return (await take(call)).member;
  } catch (error) {
    if (error instanceof ProblemError && error.code === "USER_NOT_REGISTERED") return null;
    throw error;
  }
}

export function useInvite(onDone: (member: Member | null, email: string) => void) {
  return useAction({
    run: (input: { email: string; role: AssignableRole }, key) => invite(input.email, input.role, key),
    refreshes: REFRESHES,
    onDone: (member, input) => onDone(member, input.email),
  });
}

export function useChangeRole(onDone: (member: Member) => void) {
  return useAction({
    run: ({ id, role }: { id: string; role: AssignableRole }, key) =>
      take(
        api.PATCH("/api/teams/current/members/{memberId}/role", {
          params: { path: { memberId: id } },
          body: { role },
          headers: keyed(key),
        }),
      ),
    refreshes: REFRESHES,
    onDone: (answer) => onDone(answer.member),
  });
}

export function useRemoveMember(onDone: () => void) {
  return useAction({
    run: (id: string) =>
      take(api.DELETE("/api/teams/current/members/{memberId}", { params: { path: { memberId: id } } })),
    refreshes: REFRESHES,
    onDone,
  });
}
