import type { InboxItem } from '../../../../src/api/views.ts';

/** The request of a server, as the predicate of a sentence that begins with its name. */
export const WANTS: Readonly<Record<InboxItem['kind'], string>> = {
  form: 'wants a form filled in',
  url: 'wants a page visited',
  sampling: 'asks a model',
  roots: 'wants to know the folders',
};
