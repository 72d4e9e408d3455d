import { readSchema, type ReadSchema, type ValidationIssue } from 'tenon/schema';
import { plain } from '../json/exact.ts';
import { asMap, type FormNode, inWords2020, isNode } from './form-schema.ts';

export type { ValidationIssue };

/** Validates the values of a form. */
export interface FormCheck {
  /** The issues of a value, by the schema of the server. */
  issues(value: unknown): readonly ValidationIssue[];
  /** Returns whether a part of the form's schema accepts a value. */
  allows(part: unknown, value: unknown): boolean;
}

/** The most compiled parts kept: the library asks for the same parts repeatedly. */
const MAX_KEPT = 300;

/** The path of the whole schema in a schema compiled for a part, to which its references are rewritten. */
const ROOT = '#/definitions/root';
function lead(ref: string): string {
  return ref === '#' || ref.startsWith('#/') ? `${ROOT}${ref.slice(1)}` : ref;
}

/** `server`: the schema as parsed from the server's JSON. `form`: the schema of the form. */
export function createFormCheck(server: unknown, form: FormNode): FormCheck {
  const whole = readSchema(plain(server));
  const root = inWords2020(form, lead);
  const parts = new Map<string, ReadSchema>();

  const readPart = (part: unknown): ReadSchema => {
    const key = JSON.stringify(part);
    const known = parts.get(key);
    if (known !== undefined) return known;
    const led = inWords2020(part, lead);
    const read = readSchema(isNode(led) ? { ...led, definitions: { ...asMap(led['definitions']), root } } : led);
    parts.set(key, read);
    for (const oldest of parts.keys()) {
      if (parts.size <= MAX_KEPT) break;
      parts.delete(oldest);
    }
    return read;
  };

  return {
    issues: (value) => whole.check(plain(value)),
    // A missing value matches no branch, so the library selects its first one.
    allows: (part, value) => value !== undefined && readPart(part).check(plain(value)).length === 0,
  };
}
