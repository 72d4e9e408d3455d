// Code that only calls with questions need: loaded when the first one asks.
export { openState, suspendCall } from './suspension.ts';
export { createQuestionMethods } from './question-methods.ts';
export { createReplayAsker } from './replay.ts';
export { createWaitingAsker } from './wait.ts';
export { swallowedPauseError } from './suspension.ts';
