import { useState } from "react";
import { useMay, useSession, useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Button } from "../ui/Button";
import { FormDialog } from "../ui/Dialog";
import { Select } from "../ui/fields";
import { Pager, useFilters } from "../ui/filters";
import { Loaded } from "../ui/Loaded";
import { ProblemNotice } from "../ui/notices";
import { Card } from "../ui/page";
import { Table, type Column } from "../ui/Table";
import { toast } from "../ui/toasts";
import { useChangeRole, useRemoveMember } from "./actions";
import { useMembers, useRoles, type AssignableRole, type Member } from "./queries";
import { useServerWord, useText } from "./texts";

function RoleChoice({ member }: { member: Member }) {
  const say = useText();
  const word = useServerWord();
  const roles = useRoles();
  const mayChange = useMay("team:write");
  const change = useChangeRole((changed) =>
    toast(say("roleChanged", { name: changed.name, role: word(changed.role) })),
  );
  if (!mayChange || member.role === "owner") return <>{word(member.role)}</>;
  const options = (roles.data ?? [])
    .filter((one) => one.assignable)
    .map((one) => ({ value: one.role, label: word(one.role) }));
  return (
    <>
      <Select
        hideLabel
        label={say("changeRole", { name: member.name })}
        value={change.isPending ? change.variables.role : member.role}
        options={options}
        onChange={(role) => change.mutate({ id: member.id, role: role as AssignableRole })}
      />
      <ProblemNotice error={change.error} />
    </>
  );
}

function RemoveDialog({ member, isSelf, onClose }: { member: Member; isSelf: boolean; onClose: () => void }) {
  const say = useText();
  const { refresh } = useSession();
  const remove = useRemoveMember(() => {
    toast(say("removed", { name: member.name }));
    onClose();
    if (isSelf) void refresh();
  });
  return (
    <FormDialog
      title={isSelf ? say("leaveTitle") : say("removeTitle", { name: member.name })}
      submit={say(isSelf ? "leave" : "remove")}
      kind="danger"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={() => remove.mutate(member.id)}
    >
      <p>{say(isSelf ? "leaveText" : "removeText")}</p>
    </FormDialog>
  );
}

function useColumns(onRemove: (member: Member) => void): Column<Member>[] {
  const say = useText();
  const { session } = useSession();
  const { timezone } = useTeam();
  const mayRemove = useMay("team:write");
  const isSelf = (member: Member) => member.userId === session.user?.id;
  return [
    {
      key: "name",
      title: say("name"),
      isName: true,
      cell: (member) => (
        <>
          <bdi>{member.name}</bdi>
          {isSelf(member) && ` (${say("you")})`}
          <br />
          <span className="soft">
            <bdi>{member.email}</bdi>
          </span>
        </>
      ),
    },
    { key: "role", title: say("role"), cell: (member) => <RoleChoice member={member} /> },
    {
      key: "joined",
      title: say("joinedAt"),
      isDetail: true,
      cell: (member) => moment(member.joinedAt, timezone),
    },
    {
      key: "active",
      title: say("lastActive"),
      cell: (member) => moment(member.lastActiveAt, timezone) || say("never"),
    },
    {
      key: "actions",
      title: say("actions"),
      isActions: true,
      cell: (member) =>
        member.role !== "owner" &&
        (mayRemove || isSelf(member)) && (
          <Button
            kind="quiet"
            icon={isSelf(member) ? "leave" : "trash"}
            label={isSelf(member) ? say("leave") : `${say("remove")}: ${member.name}`}
            onClick={() => onRemove(member)}
          />
        ),
    },
  ];
}

export function Members() {
  const say = useText();
  const { page } = useFilters();
  const { session } = useSession();
  const members = useMembers(page);
  const [leaving, setLeaving] = useState<Member | null>(null);
  const columns = useColumns(setLeaving);
  return (
    <Card>
      <Loaded query={members}>
        {(data) => (
          <>
            <Table
              caption={say("title")}
              columns={columns}
              rows={data.items}
              rowKey={(member) => member.id}
            />
            {data.total > data.pageSize && <Pager {...data} />}
          </>
        )}
      </Loaded>
      {leaving && (
        <RemoveDialog
          member={leaving}
          isSelf={leaving.userId === session.user?.id}
          onClose={() => setLeaving(null)}
        />
      )}
    </Card>
  );
}
