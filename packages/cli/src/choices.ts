import { isObject } from './content-text.ts';

/** Something that a field of a form can be. */
export interface Choice {
  readonly value: string;
  readonly title: string;
}

const titleOr = (title: unknown, otherwise: string): string =>
  typeof title === 'string' && title !== '' ? title : otherwise;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What a field offers, in the ways of all revisions: titled choices, or values with or without names. Of anything else, nothing. */
export const choicesOf = (field: Readonly<Record<string, unknown>>): readonly Choice[] => {
  const titled = [field['oneOf'], field['anyOf']].find(Array.isArray) as readonly unknown[] | undefined;
  if (titled !== undefined) {
    return titled
      .filter(isObject)
      .map((entry) => ({ value: String(entry['const']), title: titleOr(entry['title'], String(entry['const'])) }));
  }
  const names = listOf(field['enumNames']);
  return listOf(field['enum']).map((value, index) => ({
    value: String(value),
    title: titleOr(names[index], String(value)),
  }));
};
