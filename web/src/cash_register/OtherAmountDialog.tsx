import { useState } from "react";
import { DecimalField } from "../ui/DecimalField";
import { FormDialog } from "../ui/Dialog";
import { TextField } from "../ui/fields";
import type { CartLine } from "./cart";
import { useText } from "./texts";

interface OtherAmountProps {
  usualRate: string;
  onAdd: (line: CartLine) => void;
  onClose: () => void;
}

/** A line of something that is not in the catalog. */
export function OtherAmountDialog({ usualRate, onAdd, onClose }: OtherAmountProps) {
  const say = useText();
  const [name, setName] = useState("");
  const [unitPrice, setUnitPrice] = useState("");
  const [taxRate, setTaxRate] = useState(usualRate);
  function add(): void {
    if (unitPrice === "") return;
    const rest = { catalogItemId: null, variantIndex: null, quantity: 1, discount: "" };
    const text = name.trim() || say("conceptDefault");
    onAdd({ key: crypto.randomUUID(), name: text, unitPrice, taxRate: taxRate || "0", ...rest });
    onClose();
  }
  return (
    <FormDialog title={say("otherAmount")} submit={say("add")} onSubmit={add} onClose={onClose}>
      <div className="stack till-touch">
        <TextField label={say("concept")} maxLength={200} value={name} onChange={setName} />
        <DecimalField label={say("price")} unit="€" required value={unitPrice} onChange={setUnitPrice} />
        <DecimalField label={say("vat")} unit="%" value={taxRate} onChange={setTaxRate} />
      </div>
    </FormDialog>
  );
}
