import { useQuery } from "@tanstack/react-query";
import { useContext, useState } from "react";
import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { DialogElement } from "./dialogElement";
import { usePaused } from "./paused";
import { useUiText } from "./texts";

export interface Match {
  id: string;
  label: string;
  /** A second line: NIF, price, city. */
  detail?: string;
}

interface TypeaheadProps<Found extends Match> {
  label: string;
  hideLabel?: boolean;
  /** Text in the field. */
  value: string;
  onType: (text: string) => void;
  /** A match was chosen, by mouse or Enter. */
  onChoose: (match: Found) => void;
  /** Name of the query in the cache, as `["clients", "matches"]`. */
  queryKey: readonly string[];
  /** Ask the server for at most about ten matches of what was typed. */
  search: (text: string, signal: AbortSignal) => Promise<readonly Found[]>;
  error?: string | undefined;
  required?: boolean;
  placeholder?: string;
  /** What has no match is told below the field: the list does not cover it with the same. */
  isNoneToldBelow?: boolean;
}

const PAUSE = 200;

/** A field that offers matches of the server while one types; other text stays as typed. */
export function Typeahead<Found extends Match>(props: TypeaheadProps<Found>) {
  const say = useUiText();
  const dialog = useContext(DialogElement);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const text = usePaused(props.value.trim(), PAUSE);
  const matches = useQuery({
    queryKey: [...props.queryKey, text],
    queryFn: ({ signal }) => props.search(text, signal),
    enabled: isOpen,
    placeholderData: (before) => before,
  });
  const found = matches.data ?? [];
  const isCovering = !props.isNoneToldBelow || matches.isFetching || found.length > 0;
  return (
    <ComboBox
      className={`field typeahead ${props.error ? "field-refused" : ""}`}
      items={found}
      inputValue={props.value}
      onInputChange={(typed) => {
        setChosen(null);
        props.onType(typed);
      }}
      onOpenChange={setOpen}
      onFocus={() => setOpen(true)}
      onSelectionChange={(key) => {
        const match = found.find((match) => match.id === key);
        setChosen(match?.id ?? null);
        if (match) props.onChoose(match);
      }}
      selectedKey={chosen}
      allowsCustomValue
      allowsEmptyCollection
      menuTrigger="input"
      isInvalid={props.error !== undefined}
      isRequired={props.required ?? false}
      validationBehavior="aria"
      aria-label={props.hideLabel ? props.label : undefined}
    >
      {!props.hideLabel && (
        <Label>
          {props.label}
          {props.required && <span className="field-required"> ({say("required")})</span>}
        </Label>
      )}
      <Input placeholder={props.placeholder} autoComplete="off" />
      {props.error && <FieldError className="field-error">{props.error}</FieldError>}
      <Popover
        className={`menu typeahead-matches ${isCovering ? "" : "only-read"}`}
        {...(dialog === null ? {} : { UNSTABLE_portalContainer: dialog })}
      >
        <ListBox<Found>
          renderEmptyState={() => (
            <p className="typeahead-none">{say(matches.isFetching ? "loading" : "noMatches")}</p>
          )}
        >
          {(match) => (
            <ListBoxItem id={match.id} textValue={match.label} className="menu-item">
              <span>
                <bdi>{match.label}</bdi>
                {match.detail && <small>{match.detail}</small>}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
