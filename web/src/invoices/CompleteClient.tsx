import { useState } from "react";
import { ProblemError } from "../api/problem";
import { useMay } from "../app/session";
import { ClientDialog } from "../clients/ClientDialog";
import { useClient, type Client } from "../clients/queries";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/notices";
import { useText } from "./texts";

interface Props {
  clientId: string;
  label: string;
  onSaved: (client: Client) => void;
}

function Card({ clientId, onSaved, onClose }: Omit<Props, "label"> & { onClose: () => void }) {
  const client = useClient(clientId);
  if (client.data === undefined) return <ProblemNotice error={client.error} />;
  return <ClientDialog client={client.data} onSaved={onSaved} onClose={onClose} />;
}

/** Opens the client's card where the invoice is: its drafts follow what is saved there. */
export function CompleteClient({ clientId, label, onSaved }: Props) {
  const mayWrite = useMay("clients:write");
  const [isOpen, setOpen] = useState(false);
  if (!mayWrite) return null;
  return (
    <>
      <Button icon="edit" onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <Card clientId={clientId} onSaved={onSaved} onClose={() => setOpen(false)} />}
    </>
  );
}

const isAboutClient = (error: unknown) =>
  error instanceof ProblemError && error.errors.some(({ field }) => field.startsWith("client."));

interface LackingProps {
  error: unknown;
  clientId: string | null;
  onSaved: (client: Client) => void;
}

/** Where an invoice is refused for what its client lacks: the way to complete the client's card at once. */
export function LackingClient({ error, clientId, onSaved }: LackingProps) {
  const say = useText();
  if (clientId === null || !isAboutClient(error)) return null;
  return (
    <div className="row">
      <CompleteClient clientId={clientId} label={say("completeClient")} onSaved={onSaved} />
    </div>
  );
}
