// Writing an address by a template (RFC 6570), one variable after the other.

/** Where somebody is in writing an address by a template. */
export interface Place {
  readonly variable: string;
  /** What of the variable is there, as it is meant. */
  readonly typed: string;
  /** Where it begins in the address. */
  readonly from: number;
  /** The variables before it, as they are meant. */
  readonly resolved: Readonly<Record<string, string>>;
  /** What follows once it is there, up to the next variable. */
  readonly next: string;
  /** A value as it stands in the address. */
  write(value: string): string;
}

/** `{name}`, also with an operator before it and a modifier after. */
const EXPRESSION = /\{([+#./;?&]?)([^{},:*]+)[^{}]*\}/g;

/** What an operator writes before the value. */
const lead = (operator: string, name: string): string => {
  if (operator === '' || operator === '+') return '';
  return '#./'.includes(operator) ? operator : `${operator}${name}=`;
};

interface Part {
  /** What stands before the value. */
  readonly before: string;
  readonly variable: string;
  /** What is reserved in addresses stays as it is. */
  readonly isOpen: boolean;
}

const partsOf = (template: string): { readonly parts: readonly Part[]; readonly end: string } => {
  let at = 0;
  const parts = [...template.matchAll(EXPRESSION)].map((found): Part => {
    const [whole, operator = '', variable = ''] = found;
    const before = template.slice(at, found.index) + lead(operator, variable);
    at = found.index + whole.length;
    return { before, variable, isOpen: operator === '+' || operator === '#' };
  });
  return { parts, end: template.slice(at) };
};

const escaped = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;

/** A value with everything encoded that means something in an address, or would be taken for the end of a sentence. */
const encoded = (value: string, isOpen: boolean): string => {
  // Half a character has no encoding.
  const whole = value.replace(/\p{Surrogate}/gu, '\ufffd');
  const text = isOpen ? encodeURI(whole) : encodeURIComponent(whole).replace(/[!'()*]/g, escaped);
  return text.replace(/[.,;:!?')\]]+$/, (end) => end.replace(/./g, escaped));
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    // It is still being written.
    return text;
  }
};

/** What of a template is fixed at its beginning. */
export const fixedPart = (template: string): string => partsOf(template).parts[0]?.before ?? template;

/** Which variable of a template is being written. Undefined: what is there does not fit, or is complete. */
export const placeIn = (template: string, typed: string): Place | undefined => {
  const { parts, end } = partsOf(template);
  const resolved: Record<string, string> = {};
  let at = 0;
  for (const [index, { before, variable, isOpen }] of parts.entries()) {
    if (!typed.startsWith(before, at)) return undefined;
    at += before.length;
    const next = parts[index + 1]?.before ?? end;
    const stop = next === '' ? -1 : typed.indexOf(next, at);
    if (stop === -1) {
      const write = (value: string): string => encoded(value, isOpen);
      return { variable, typed: decoded(typed.slice(at)), from: at, resolved, next, write };
    }
    resolved[variable] = decoded(typed.slice(at, stop));
    at = stop;
  }
  return undefined;
};
