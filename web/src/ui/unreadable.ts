/**
 * Numbers that cannot be read. A field keeps what was typed, and its form holds that text as it is; such a number is
 * never sent as something else: the interface refuses to write it (`UNREADABLE_NUMBER`), and the field says why.
 */

/** Stands on the control of a field whose text is no number. */
export const UNREADABLE = "data-unreadable";

/** What is typed in lies uppermost: in the last dialog that is open, else in the page. */
function uppermost(): ParentNode {
  return [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
}

/** Let each field that cannot be read say so, and put the focus on the first; false where all can be read. */
export function showUnreadable(within: ParentNode = uppermost()): boolean {
  const [first, ...others] = within.querySelectorAll<HTMLElement>(`[${UNREADABLE}]`);
  if (first === undefined) return false;
  first.closest("details")?.setAttribute("open", "");
  for (const field of [first, ...others]) field.dispatchEvent(new Event("invalid"));
  first.focus();
  return true;
}
