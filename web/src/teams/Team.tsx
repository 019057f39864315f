import { useState } from "react";
import { useMay, useTeam } from "../app/session";
import { Button, ButtonLink } from "../ui/Button";
import { EmptyState } from "../ui/notices";
import { Page } from "../ui/page";
import { InviteDialog } from "./InviteDialog";
import { Members } from "./Members";
import { useMembers } from "./queries";
import { RoleMatrix } from "./RoleMatrix";
import { useText } from "./texts";

/** The matrix waits for the list above it, which would push it down. */
function People() {
  const { isPending } = useMembers(1);
  return (
    <>
      <Members />
      <RoleMatrix isHeld={isPending} />
    </>
  );
}

/** The people of the team, with what each role may do. */
export function Team() {
  const say = useText();
  const team = useTeam();
  const mayInvite = useMay("team:write");
  const [isInviting, setInviting] = useState(false);
  if (!team.isTeam) {
    return (
      <Page title={say("title")}>
        <EmptyState
          icon="people"
          title={say("personal")}
          action={
            <ButtonLink kind="primary" to="/welcome">
              {say("setUp")}
            </ButtonLink>
          }
        >
          {say("personalText")}
        </EmptyState>
        <RoleMatrix />
      </Page>
    );
  }
  return (
    <Page
      title={say("title")}
      lead={say("lead", { company: team.company ?? team.name })}
      actions={
        mayInvite && (
          <Button kind="primary" icon="add" onClick={() => setInviting(true)}>
            {say("invite")}
          </Button>
        )
      }
    >
      <People />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Page>
  );
}
