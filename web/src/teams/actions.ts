import { keyed, useAction } from "../api/actions";
import { api, take } from "../api/client";
import { ProblemError } from "../api/problem";
import type { AssignableRole, Member } from "./queries";

const REFRESHES = [["team", "members"]];

/** The new member; or, of somebody who is not registered, where the mail with the invitation went: `smtp` or `file`. */
type Invited = Member | string;

async function invite(email: string, role: AssignableRole, key: string): Promise<Invited> {
  try {
    const call = api.POST("/api/teams/current/invite", { body: { email, role }, headers: keyed(key) });
    return (await take(call)).member;
  } catch (error) {
    if (error instanceof ProblemError && error.invitation !== null) return error.invitation.deliveredTo;
    throw error;
  }
}

export function useInvite(onDone: (outcome: Invited, email: string) => void) {
  return useAction({
    run: (input: { email: string; role: AssignableRole }, key) => invite(input.email, input.role, key),
    refreshes: REFRESHES,
    onDone: (outcome, input) => onDone(outcome, input.email),
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
