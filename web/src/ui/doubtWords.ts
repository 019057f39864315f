const CODE = /^[A-Z]+(?:_[A-Z]+)+: /;

/** A warning without its code, which only programs read. */
export const doubtWords = (warning: string): string => warning.replace(CODE, "");
