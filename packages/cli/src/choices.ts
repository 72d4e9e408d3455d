import { choicesOf as choicesOfForm } from 'tenon/forms';

/** Something that a field of a form can be. */
export interface Choice {
  readonly value: string;
  readonly title: string;
}

/** What a field offers; of one that offers nothing, nothing. */
export const choicesOf = (field: Readonly<Record<string, unknown>>): readonly Choice[] =>
  (choicesOfForm(field) ?? []).map(({ value, title }) => ({ value, title: title || value }));
