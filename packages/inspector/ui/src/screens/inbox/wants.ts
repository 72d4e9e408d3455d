import type { InboxItem } from '../../../../src/api/views.ts';

/** The request of a server, as the predicate of a sentence that begins with its name. */
export const WANTS: Readonly<Record<InboxItem['kind'], string>> = {
  form: 'asks you to fill in a form',
  url: 'asks you to open a page',
  sampling: 'asks for a model response',
  roots: 'asks for roots',
};
