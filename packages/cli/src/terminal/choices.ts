import { choicesOf as choicesOfForm } from 'tenon/forms';

/** One allowed value of a form field. */
export interface Choice {
  readonly value: string;
  readonly title: string;
}

/** The allowed values of a form field; empty if it is free text. */
export function choicesOf(field: Readonly<Record<string, unknown>>): readonly Choice[] {
  return (choicesOfForm(field) ?? []).map(({ value, title }) => ({ value, title: title || value }));
}
