import { useState } from "react";
import { useMailLeaves } from "../app/session";
import { FormDialog } from "../ui/Dialog";
import { Select, TextField } from "../ui/fields";
import { toast } from "../ui/toasts";
import { useInvite } from "./actions";
import { useRoles, type AssignableRole } from "./queries";
import { useServerWord, useText } from "./texts";

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const say = useText();
  const word = useServerWord();
  const roles = useRoles();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<AssignableRole>("member");
  const leaves = useMailLeaves();
  const invite = useInvite((outcome, address) => {
    if (typeof outcome !== "string") toast(say("joined", { name: outcome.name }));
    else toast(say(outcome === "smtp" ? "invited" : "invitedInFile", { email: address }));
    onClose();
  });
  const options = (roles.data ?? [])
    .filter((one) => one.assignable)
    .map((one) => ({ value: one.role, label: word(one.role) }));
  return (
    <FormDialog
      title={say("invite")}
      submit={say(leaves ? "inviteSend" : "inviteInFile")}
      busy={invite.isPending}
      error={invite.error}
      onClose={onClose}
      onSubmit={() => invite.mutate({ email: email.trim(), role })}
    >
      <TextField
        label={say("email")}
        hint={say(leaves ? "inviteHint" : "inviteHintInFile")}
        type="email"
        required
        value={email}
        onChange={setEmail}
        error={invite.error?.forField("email")}
      />
      <Select
        label={say("role")}
        value={role}
        options={options}
        onChange={(value) => setRole(value as AssignableRole)}
      />
    </FormDialog>
  );
}
