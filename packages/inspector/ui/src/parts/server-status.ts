import type { ServerStatus } from '../../../src/api/views.ts';
import type { Tone } from './Badge.tsx';

const TONES: Readonly<Record<ServerStatus, Tone>> = {
  idle: 'plain',
  connecting: 'info',
  login: 'warn',
  ready: 'ok',
  failed: 'bad',
  closed: 'plain',
};

const WORDS: Readonly<Record<ServerStatus, string>> = {
  idle: 'not connected',
  connecting: 'connecting …',
  login: 'login required',
  ready: 'connected',
  failed: 'failed',
  closed: 'closed',
};

export function statusTone(status: ServerStatus): Tone {
  return TONES[status];
}
export function statusWord(status: ServerStatus): string {
  return WORDS[status];
}
