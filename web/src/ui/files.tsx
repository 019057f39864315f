import { useId, useRef, useState, type DragEvent } from "react";
import { Button } from "./Button";
import { Icon } from "./Icon";
import { useUiText } from "./texts";

const MEGABYTE = 1_048_576;

/** Read a file as a data URL, the form in which the interface takes files. */
export function asDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(file);
  });
}

interface FileDropProps {
  label: string;
  /** Media types and endings, as `image/*,application/pdf`. */
  accept: string;
  several?: boolean;
  /** Largest file in megabytes. */
  limit?: number;
  /** Offer the camera on devices that have one. */
  camera?: boolean;
  onFiles: (files: File[]) => void;
}

/** A place to drop files on, with buttons that choose them or take a photo. */
export function FileDrop({
  label,
  accept,
  several = false,
  limit = 10,
  camera = false,
  onFiles,
}: FileDropProps) {
  const say = useUiText();
  const chooser = useRef<HTMLInputElement>(null);
  const photo = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const heading = useId();

  function take(list: FileList | null): void {
    const files = [...(list ?? [])].slice(0, several ? undefined : 1);
    const large = files.find((file) => file.size > limit * MEGABYTE);
    setRefused(large ? say("fileTooLarge", { name: large.name, limit }) : null);
    const fitting = files.filter((file) => file.size <= limit * MEGABYTE);
    if (fitting.length > 0) onFiles(fitting);
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  }

  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the buttons do the same
    <div
      className={`file-drop ${isOver ? "file-drop-over" : ""}`}
      role="group"
      aria-labelledby={heading}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="upload" />
      <p id={heading}>{label}</p>
      <div className="file-drop-buttons">
        <Button onClick={() => chooser.current?.click()}>{say("chooseFiles")}</Button>
        {camera && (
          <Button icon="camera" onClick={() => photo.current?.click()}>
            {say("takePhoto")}
          </Button>
        )}
      </div>
      <input
        ref={chooser}
        hidden
        type="file"
        aria-label={label}
        accept={accept}
        multiple={several}
        onChange={(event) => {
          take(event.target.files);
          event.target.value = "";
        }}
      />
      {camera && (
        <input
          ref={photo}
          hidden
          type="file"
          aria-label={say("takePhoto")}
          accept="image/*"
          capture="environment"
          onChange={(event) => {
            take(event.target.files);
            event.target.value = "";
          }}
        />
      )}
      {refused && (
        <p className="field-error" role="alert">
          {refused}
        </p>
      )}
    </div>
  );
}
