// Code that only calls with questions need: loaded when the first one asks.
export { openState, questions } from './rounds.ts';
export { interactions } from './interact.ts';
export { createReplayDesk } from './replay.ts';
export { createWaitingDesk } from './wait.ts';
export { swallowed } from './swallowed.ts';
