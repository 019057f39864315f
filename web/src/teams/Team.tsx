import { useState } from "react";
import { useMay, useTeam } from "../app/session";
import { Button, ButtonLink } from "../ui/Button";
import { EmptyState, Loading } from "../ui/notices";
import { Card, Page } from "../ui/page";
import { InviteDialog } from "./InviteDialog";
import { Members } from "./Members";
import { useMembers, useRoles } from "./queries";
import { RoleMatrix } from "./RoleMatrix";
import { useText } from "./texts";

/** Members and matrix appear at once: roles fill the rows of the one and push the other down. */
function People() {
  const isPending = [useMembers(1), useRoles()].some((query) => query.isPending);
  if (isPending) {
    return (
      <Card>
        <Loading lines={10} />
      </Card>
    );
  }
  return (
    <>
      <Members />
      <RoleMatrix />
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
