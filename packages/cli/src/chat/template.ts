// Completes a URI from a URI template (RFC 6570), one variable after the other.

/** The variable at the cursor in a URI that is being typed. */
export interface Place {
  readonly variable: string;
  /** The part of its value typed so far, decoded. */
  readonly typed: string;
  /** Where the value begins in the URI. */
  readonly from: number;
  /** The values of the variables before it, decoded. */
  readonly resolved: Readonly<Record<string, string>>;
  /** The literal text after it, up to the next variable. */
  readonly next: string;
  /** Encodes a value for the URI. */
  write(value: string): string;
}

/** `{name}`, possibly with an operator before the name and a modifier after it. */
const EXPRESSION = /\{([+#./;?&]?)([^{},:*]+)[^{}]*\}/g;

/** The text that an operator puts before the value. */
function lead(operator: string, name: string): string {
  if (operator === '' || operator === '+') return '';
  return '#./'.includes(operator) ? operator : `${operator}${name}=`;
}

interface Part {
  /** The literal text before the value. */
  readonly before: string;
  readonly variable: string;
  /** Reserved characters are not encoded. */
  readonly isOpen: boolean;
}

function partsOf(template: string): { readonly parts: readonly Part[]; readonly end: string } {
  let at = 0;
  const parts = [...template.matchAll(EXPRESSION)].map((found): Part => {
    const [whole, operator = '', variable = ''] = found;
    const before = template.slice(at, found.index) + lead(operator, variable);
    at = found.index + whole.length;
    return { before, variable, isOpen: operator === '+' || operator === '#' };
  });
  return { parts, end: template.slice(at) };
}

function escaped(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Encodes characters that are reserved in a URI, and punctuation at the end, which would be taken for the end of the sentence. */
function encoded(value: string, isOpen: boolean): string {
  // Lone surrogates cannot be percent-encoded.
  const whole = value.replace(/\p{Surrogate}/gu, '\ufffd');
  const text = isOpen ? encodeURI(whole) : encodeURIComponent(whole).replace(/[!'()*]/g, escaped);
  return text.replace(/[.,;:!?')\]]+$/, (end) => end.replace(/./g, escaped));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The escape is not complete yet.
    return text;
  }
}

/** The literal text before the first variable. */
export function fixedPart(template: string): string {
  return partsOf(template).parts[0]?.before ?? template;
}

/** The variable of a template that is being typed. Undefined if the text does not match the template, or is complete. */
export function placeIn(template: string, typed: string): Place | undefined {
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
}
