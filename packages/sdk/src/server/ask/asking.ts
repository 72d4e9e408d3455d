// What only calls that ask need: loaded when the first one does.
export { openState, questions } from './rounds.ts';
export { interactions } from './interact.ts';
export { createReplayDesk } from './replay.ts';
export { createWaitingDesk } from './wait.ts';
export { swallowed } from './swallowed.ts';
