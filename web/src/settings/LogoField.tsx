import { Button } from "../ui/Button";
import { asDataUrl, FileDrop } from "../ui/files";
import { useText } from "./texts";

const LARGEST = 1; // megabyte

/** The logo of invoices and mails, shown as it will be printed. */
export function LogoField({
  logo,
  onChange,
}: {
  logo: string | null;
  onChange: (logo: string | null) => void;
}) {
  const say = useText();
  return (
    <div className="stack">
      {logo && (
        <div className="row">
          <img className="logo" src={logo} alt={say("logoShown")} />
          <Button icon="trash" onClick={() => onChange(null)}>
            {say("removeLogo")}
          </Button>
        </div>
      )}
      <FileDrop
        label={say("logo")}
        accept="image/png,image/jpeg,image/svg+xml"
        limit={LARGEST}
        onFiles={(files) => files[0] && void asDataUrl(files[0]).then(onChange)}
      />
    </div>
  );
}
