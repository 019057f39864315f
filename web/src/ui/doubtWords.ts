const CODE = /^[A-Z]+(?:_[A-Z]+)+: /;
const FIELDS = /(?<=\.) \[[^[\]]+\]$/;

/** A warning without what only programs read: its code, and the names of fields at its end. */
export const doubtWords = (warning: string): string => warning.replace(CODE, "").replace(FIELDS, "");
