import type { Client } from 'tenon/client';
import type { ServerView } from '../api/views.ts';
import type { Redactor } from '../record/redact.ts';
import { shownCommand } from '../record/shown-command.ts';
import type { Target } from './contract.ts';

/** What a server says of itself, without secrets: it may have read them in its environment. */
export type Said = Pick<ServerView, 'server' | 'instructions' | 'capabilities'>;

export const saidBy = ({ server, instructions, capabilities }: Client, redactor: Redactor): Said =>
  JSON.parse(redactor.clean(JSON.stringify({ server, instructions, capabilities })).text) as Said;

/** What is started, or where it is. What is secret in it is hidden from now on. */
export const shownTarget = ({ launch }: Target, redactor: Redactor): string => {
  if (!('url' in launch)) return shownCommand(launch.command, launch.args, redactor);
  const { origin, pathname } = new URL(launch.url);
  return redactor.clean(`${origin}${pathname}`).text;
};
