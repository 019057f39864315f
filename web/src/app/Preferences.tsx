import { useState } from "react";
import { chooseLanguage, useLanguage, type Language } from "../texts/language";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Select } from "../ui/fields";
import { useSession } from "./session";
import { useAppText } from "./texts";
import { chooseTheme, theme, type Theme } from "./theme";

/** Language and theme of this browser. */
export function Appearance() {
  const say = useAppText();
  const language = useLanguage();
  const [chosen, setChosen] = useState<Theme>(theme());
  const languages = [
    { value: "es", label: say("spanish") },
    { value: "en", label: say("english") },
  ];
  const themes = [
    { value: "system", label: say("themeSystem") },
    { value: "light", label: say("themeLight") },
    { value: "dark", label: say("themeDark") },
  ];
  return (
    <>
      <Select
        label={say("language")}
        value={language}
        options={languages}
        onChange={(value) => chooseLanguage(value as Language)}
      />
      <Select
        label={say("theme")}
        value={chosen}
        options={themes}
        onChange={(value) => {
          setChosen(value as Theme);
          chooseTheme(value as Theme);
        }}
      />
    </>
  );
}

/** Who is logged in, what this browser shows, and the way out. */
export function Preferences() {
  const say = useAppText();
  const { session, end } = useSession();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" icon="person" label={say("account")} onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title={say("account")} onClose={() => setOpen(false)}>
          <p>
            <bdi>{session.user?.name}</bdi>
            <br />
            <span className="soft">{session.user?.email}</span>
          </p>
          <Appearance />
          <div className="dialog-foot">
            <Button icon="leave" onClick={() => void end()}>
              {say("logOut")}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
