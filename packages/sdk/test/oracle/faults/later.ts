// All additions of later revisions, for the test that none of them is accepted in an earlier one.

import { toolOf } from '../corpus/pieces.ts';
import type { Revision } from '../oracle.ts';
import { asked, answered, toServer, unknown, started, welcomed, cached, type Addition } from './case.ts';
import { since20250326, since20250618, since20251125 } from './since-2025.ts';
import { since20260728 } from './since-2026.ts';

const extensions = { 'com.example/a': {} };

/** Shown alone: the methods with these fields are not part of the revision that added the fields, or of any yet. */
const alone: Addition[] = [
  {
    ...asked(
      toServer,
      'initialize',
      started({}, { extensions }),
      'client extensions',
      unknown('/capabilities/extensions'),
    ),
    since: '2026-07-28',
    correctThere: false,
  },
  {
    ...answered('initialize', welcomed({ extensions }), 'server extensions', unknown('/capabilities/extensions')),
    since: '2026-07-28',
    correctThere: false,
  },
];

function future(revision: Revision): Addition {
  return {
    ...answered(
      'tools/list',
      { ...(revision === '2026-07-28' && cached), tools: [{ ...toolOf(revision), hue: 1 }] },
      'a field of a future revision',
      unknown('/tools/0/hue'),
    ),
    since: '2026-07-28',
    correctThere: false,
  };
}

/** The additions of later revisions; for the newest, a field that no revision has yet. */
export function laterFields(revision: Revision): Addition[] {
  const additions = (
    [
      ['2025-03-26', since20250326],
      ['2025-06-18', since20250618],
      ['2025-11-25', since20251125],
      ['2026-07-28', since20260728],
    ] as const
  ).flatMap(([since, cases]) => cases.map((one): Addition => ({ ...one, since, correctThere: true })));
  return [...additions, ...alone].filter(({ since }) => since > revision).concat(future(revision));
}
