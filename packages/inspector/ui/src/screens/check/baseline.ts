import type { ListKind, ServerView } from '../../../../src/api/views.ts';
import { surfaceText } from '../../../../src/compare/surface.ts';
import { api } from '../../store/api.ts';

/** The current surface of a server, as the text of a baseline. */
async function baselineOf(server: ServerView, signal: AbortSignal): Promise<string> {
  const entries = async (kind: ListKind): Promise<readonly string[]> =>
    (await api.list({ parts: { id: server.id, kind }, signal })).entries;
  const { revision = '', capabilities = {}, instructions } = server;
  return surfaceText({
    server: { ...server.server },
    revision,
    capabilities,
    instructions,
    tools: await entries('tools'),
    resources: await entries('resources'),
    templates: await entries('templates'),
    prompts: await entries('prompts'),
  });
}

/** Saves the baseline as a file. */
export async function saveBaseline(server: ServerView, signal: AbortSignal): Promise<void> {
  const text = await baselineOf(server, signal);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = `${server.id}.baseline.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}
