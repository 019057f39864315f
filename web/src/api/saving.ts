import { useState } from "react";
import type { QueryKey } from "@tanstack/react-query";
import { useAction } from "./actions";
import { takeVersioned, type Answer, type Versioned } from "./client";
import { ProblemError } from "./problem";

interface Basis<Data> extends Versioned<Data> {
  /** What the form shows of the record, as JSON. */
  shown: string;
}

interface SavingOptions<Data, Saved extends Data> {
  /** The record that is changed, as it was read; null for a new one. */
  read: Versioned<Data> | null;
  /** What the form shows of it: a record that differs in something else only is no conflict. */
  shown: (record: Data) => unknown;
  /** Read it again, as it stands on the server. */
  reload: () => Promise<Versioned<Data>>;
  /**
   * Send what is typed: a change by `put(version)`, a new record with the key; `version` is null for a new one, and so is
   * `upon`, the record as it is stored in that version.
   */
  run: (version: string | null, idempotencyKey: string, upon: Data | null) => Promise<Answer<Saved>>;
  refreshes: readonly QueryKey[];
  onDone: (saved: Saved) => void;
  /** Somebody else's is taken: the form shows it from now on. */
  onTheirs: (theirs: Data) => void;
}

/** The choice between what somebody else has stored meanwhile and what is typed here. */
export interface Choice {
  onTheirs: () => void;
  onMine: () => void;
}

const isConflict = (error: unknown) => error instanceof ProblemError && error.status === 412;

/**
 * Saves a record upon the version that was read, as every form of a record does. Of two windows that change the same,
 * the second is told, and chooses: nothing is overwritten in silence.
 */
export function useSaving<Data, Saved extends Data>(options: SavingOptions<Data, Saved>) {
  const { read, shown, reload, run } = options;
  const basisOf = ({ version, data }: Versioned<Data>): Basis<Data> => ({
    version,
    data,
    shown: JSON.stringify(shown(data)),
  });
  const [basis, setBasis] = useState(() => read && basisOf(read));

  async function send(upon: Basis<Data> | null, key: string): Promise<Versioned<Saved>> {
    try {
      return await takeVersioned(run(upon?.version ?? null, key, upon?.data ?? null));
    } catch (error) {
      if (upon === null || !isConflict(error)) throw error;
      const theirs = basisOf(await reload());
      if (theirs.shown !== upon.shown) throw error;
      return takeVersioned(run(theirs.version, key, theirs.data));
    }
  }

  const action = useAction({
    run: send,
    refreshes: options.refreshes,
    onDone: (saved) => {
      setBasis(basisOf(saved));
      options.onDone(saved.data);
    },
  });
  const choice: Choice = {
    onTheirs: () =>
      void reload().then((theirs) => {
        action.reset();
        setBasis(basisOf(theirs));
        options.onTheirs(theirs.data);
      }, ignore),
    onMine: () => void reload().then((theirs) => action.mutate(basisOf(theirs)), ignore),
  };
  return {
    save: () => action.mutate(basis),
    isPending: action.isPending,
    error: isConflict(action.error) ? null : action.error,
    conflict: isConflict(action.error) ? choice : null,
  };
}

/** A choice that cannot be read now stays on the screen, to be made again. */
function ignore(): void {}
