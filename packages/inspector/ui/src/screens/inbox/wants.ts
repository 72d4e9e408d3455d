import type { InboxItem } from '../../../../src/api/views.ts';

/** What a server wants, behind its name. */
export const WANTS: Readonly<Record<InboxItem['kind'], string>> = {
  form: 'wants a form filled in',
  url: 'wants a page visited',
  sampling: 'asks a model',
  roots: 'wants to know the folders',
};
