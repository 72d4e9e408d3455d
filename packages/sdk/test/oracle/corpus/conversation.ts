// A correct conversation for each revision: every method, notification, content type and error the revision knows, with
// every field it knows. Written from the specification's pages; it also shows a test author what each message looks like.

import type { Revision } from '../schemas.ts';
import { legacy } from './legacy.ts';
import { modern } from './modern.ts';
import type { Sent } from './script.ts';

/** The correct conversation of a revision, in the order of sending. */
export function conversation(revision: Revision): readonly Sent[] {
  return (revision === '2026-07-28' ? modern() : legacy(revision)).sent;
}
