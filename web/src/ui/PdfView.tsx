import { useEffect, useState } from "react";
import { Loading } from "./notices";
import { useUiText } from "./texts";

/** A PDF of the server, shown by the browser's own viewer. */
export function PdfView({ content, title }: { content: Blob | undefined; title?: string }) {
  const say = useUiText();
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (content === undefined) return undefined;
    const created = URL.createObjectURL(content);
    setAddress(created); // eslint-disable-line react-hooks/set-state-in-effect -- the address is a resource to be released
    return () => URL.revokeObjectURL(created);
  }, [content]);
  if (address === null) return <Loading lines={10} />;
  return (
    <div className="pdf">
      <iframe src={`${address}#toolbar=0&navpanes=0`} title={title ?? say("pdf")} />
      <a href={address} target="_blank" rel="noreferrer">
        {say("openPdf")}
      </a>
    </div>
  );
}
