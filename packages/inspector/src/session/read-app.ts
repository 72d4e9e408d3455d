import { appPage } from 'tenon/apps';
import type { ReadResourceResult, ResourceEntry } from 'tenon/client';
import type { AppAnswer } from '../api/views.ts';
import { WorkbenchError } from './contract.ts';
import type { LiveServer } from './live.ts';

/**
 * The page of an app, exactly as its server sent it. It is not taken from the trace, whose lines are redacted: removing something
 * that looks like a secret could break a script.
 */
export async function readApp(server: LiveServer, uri: string): Promise<AppAnswer> {
  const { client } = server.connected;
  let found: ReadResourceResult;
  try {
    found = await client.read(uri);
    const { html, csp } = appPage(found, listed(server, uri));
    return csp === undefined ? { html } : { html, csp };
  } catch (error) {
    throw new WorkbenchError(
      'failed',
      `The page of the app cannot be shown: ${error instanceof Error ? error.message : String(error)}`,
      'Read the resource itself in Explore to see what the server answers.',
    );
  }
}

function listed(server: LiveServer, uri: string): ResourceEntry | undefined {
  for (const text of server.list('resources').entries) {
    const entry = JSON.parse(text) as ResourceEntry;
    if (entry.uri === uri) return entry;
  }
  return undefined;
}
