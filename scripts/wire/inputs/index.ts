// All inputs.
import type { Scenario } from '../scenario.ts';
import { ENVELOPE } from './envelope.ts';
import { HTTP } from './http.ts';
import { MESSAGES } from './messages.ts';
import { QUESTIONS } from './questions.ts';
import { RUNNING } from './running.ts';

export const scenarios: readonly Scenario[] = [...MESSAGES, ...ENVELOPE, ...QUESTIONS, ...RUNNING, ...HTTP];
