import { useState } from "react";
import { Button } from "./Button";
import { useUiText } from "./texts";

/** A text to be taken elsewhere: a key, an address, a block of settings. */
export function CopyField({
  label,
  text,
  isBlock = false,
}: {
  label: string;
  text: string;
  isBlock?: boolean;
}) {
  const say = useUiText();
  const [isCopied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  }
  return (
    <div className="copy">
      <p className="copy-label">{label}</p>
      {isBlock ? (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and keys must be able to
        <pre className="code" role="region" tabIndex={0} aria-label={label}>
          {text}
        </pre>
      ) : (
        <code className="code code-line">{text}</code>
      )}
      <Button
        icon={isCopied ? "check" : "copy"}
        aria-label={`${say("copy")}: ${label}`}
        onClick={() => void copy()}
      >
        {say(isCopied ? "copied" : "copy")}
      </Button>
      <span className="only-read" role="status">
        {isCopied ? say("copied") : ""}
      </span>
    </div>
  );
}
