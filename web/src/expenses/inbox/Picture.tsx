import { useEffect, useState } from "react";
import { PdfView } from "../../ui/PdfView";
import { useText } from "../texts";

/** The file as it came, beside what was read in it. */
export function Picture({ file }: { file: File }) {
  const say = useText();
  const [address, setAddress] = useState<string | null>(null);
  const isPdf = file.type === "application/pdf";
  useEffect(() => {
    const created = URL.createObjectURL(file);
    setAddress(created); // eslint-disable-line react-hooks/set-state-in-effect -- the address is a resource to be released
    return () => URL.revokeObjectURL(created);
  }, [file]);
  return (
    <div className="reading-picture">
      {isPdf ? (
        <PdfView content={file} title={file.name} />
      ) : (
        address && <img src={address} alt={say("pictureOf", { name: file.name })} />
      )}
    </div>
  );
}
