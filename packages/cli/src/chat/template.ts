/** Where somebody is in writing an address by a template. */
export interface Place {
  readonly variable: string;
  /** What of the variable is there. */
  readonly typed: string;
  /** Where it begins in the address. */
  readonly from: number;
  /** The variables before it. */
  readonly resolved: Readonly<Record<string, string>>;
  /** What follows once it is there, up to the next variable. */
  readonly next: string;
}

/** `{name}`, also with an operator before it and a modifier after. */
const EXPRESSION = /\{[+#./;?&]?([^{},:*]+)[^{}]*\}/g;

interface Part {
  readonly before: string;
  readonly variable: string;
}

const partsOf = (template: string): { readonly parts: readonly Part[]; readonly end: string } => {
  let at = 0;
  const parts = [...template.matchAll(EXPRESSION)].map((found): Part => {
    const before = template.slice(at, found.index);
    at = found.index + found[0].length;
    return { before, variable: found[1]! };
  });
  return { parts, end: template.slice(at) };
};

/** What of a template is fixed at its beginning. */
export const fixedPart = (template: string): string => partsOf(template).parts[0]?.before ?? template;

/** Which variable of a template is being written. Undefined: what is there does not fit, or is complete. */
export const placeIn = (template: string, typed: string): Place | undefined => {
  const { parts, end } = partsOf(template);
  const resolved: Record<string, string> = {};
  let at = 0;
  for (const [index, { before, variable }] of parts.entries()) {
    if (!typed.startsWith(before, at)) return undefined;
    at += before.length;
    const next = parts[index + 1]?.before ?? end;
    const stop = next === '' ? -1 : typed.indexOf(next, at);
    if (stop === -1) return { variable, typed: typed.slice(at), from: at, resolved, next };
    resolved[variable] = typed.slice(at, stop);
    at = stop;
  }
  return undefined;
};
