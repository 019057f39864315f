import { useState } from "react";
import { Select, TextField } from "../ui/fields";
import { METHODS } from "./methods";
import { useText } from "./texts";

/** The choice that opens a field for any other way of paying; no way of paying is called so. */
const OTHER = "";

interface MethodFieldProps {
  value: string;
  onChange: (method: string) => void;
  error?: string | undefined;
}

/** The way of paying: one that is suggested, or any other in one's own words (Bizum, confirming, promissory note). */
export function MethodField({ value, onChange, error }: MethodFieldProps) {
  const say = useText();
  const [isOther, setOther] = useState(!METHODS.some((method) => method === value));
  const options = [
    ...METHODS.map((method) => ({ value: method as string, label: say(`method_${method}`) })),
    { value: OTHER, label: say("method_other") },
  ];
  return (
    <>
      <Select
        label={say("method")}
        value={isOther ? OTHER : value}
        options={options}
        onChange={(method) => {
          setOther(method === OTHER);
          onChange(method);
        }}
        error={isOther ? undefined : error}
      />
      {isOther && (
        <TextField label={say("methodName")} required value={value} onChange={onChange} error={error} />
      )}
    </>
  );
}
