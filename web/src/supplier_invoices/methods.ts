import { useText } from "./texts";

/** Ways of paying that the interface suggests; any other text is a way too. */
export const METHODS = ["transfer", "card", "cash", "direct_debit"] as const;

/** Name of a way of paying in the language of the reader; one's own is shown as it was typed. */
export function useMethodName(): (method: string) => string {
  const say = useText();
  return (method) => {
    const suggested = METHODS.find((known) => known === method);
    return suggested ? say(`method_${suggested}`) : method;
  };
}
