import { readSchema, type ReadSchema, type ValidationIssue } from 'tenon/schema';
import { plain } from '../json/exact.ts';
import { asMap, type FormNode, inWords2020, isNode } from './form-schema.ts';

export type { ValidationIssue };

/** Checks what is typed into a form. */
export interface FormCheck {
  /** What the schema of the server says about a value. */
  issues(value: unknown): readonly ValidationIssue[];
  /** Does a part of the schema of the form allow a value? */
  allows(part: unknown, value: unknown): boolean;
}

/** The engine asks about the same parts again and again. */
const MAX_KEPT = 300;

/** Where the whole schema stands in what is compiled for a part: references into it are led there. */
const ROOT = '#/definitions/root';
function lead(ref: string): string {
  return ref === '#' || ref.startsWith('#/') ? `${ROOT}${ref.slice(1)}` : ref;
}

/** `server`: the schema as the server wrote it. `form`: the one of the form. */
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
    // Of what is not there nothing can be said: the engine then takes its first choice.
    allows: (part, value) => value !== undefined && readPart(part).check(plain(value)).length === 0,
  };
}
