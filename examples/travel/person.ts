// The user of the demo: a script decides if there is no terminal.
import type { Decision, Item, Rule } from '@tenon/host';

/** Rules for actions that need no approval. The user decides everything else. */
export const RULES: readonly Rule[] = [
  { effect: 'allow', server: 'travel', tool: 'search*', because: 'searching changes nothing' },
  { effect: 'allow', server: 'travel', tool: 'find*', because: 'searching changes nothing' },
  { effect: 'allow', server: 'weather', because: 'the weather is no secret' },
];

/** Approves what belongs to the trip, and nothing else. */
export function approve(item: Item): Decision {
  switch (item.kind) {
    case 'start':
      return { allow: true, scope: 'session' };
    case 'sample':
    case 'sampled':
      return { allow: item.server === 'travel' };
    case 'call':
      return { allow: item.arguments['to'] === undefined || item.arguments['to'] === 'family@example.com' };
    default:
      return { allow: false, reason: 'Nobody is here to look at it' };
  }
}

const FORMS: Readonly<Record<string, Decision['content']>> = {
  confirmVacation: {
    confirmBooking: true,
    seatPreference: 'window',
    roomType: 'sea view',
    travelInsurance: true,
  },
};

/** Fills in the forms of the trip. */
export function answer(item: Item): Decision {
  const content = item.kind === 'question' ? FORMS[item.name ?? ''] : undefined;
  return content === undefined ? { allow: false } : { allow: true, content };
}
