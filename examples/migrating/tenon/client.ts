// A client of the shop with Tenon.

import { connect } from 'tenon/client';
import type { Report } from '../report.ts';

export async function visitShop(command: string, args: string[]): Promise<Report> {
  const log: unknown[] = [];
  const client = await connect(
    { command, args },
    {
      elicit: () => ({ action: 'accept', content: { count: 2 } }),
      sample: () => ({ role: 'assistant', model: 'a-model', content: { type: 'text', text: 'Sit down!' } }),
      onLog: ({ data }) => void log.push(data),
      logLevel: 'info',
    },
  );
  try {
    const progress: unknown[] = [];
    const recount = await client.result('recount', {}, { onProgress: (report) => void progress.push(report) });
    const stock = await client.result('stock', { article: 'chair' });
    const unknown = await client.result('stock', { article: 'sofa' });
    return {
      name: client.server?.name,
      instructions: client.instructions,
      tools: (await client.tools().all()).map(({ name }) => name),
      stock: { structured: stock.structuredContent, content: stock.content },
      unknown: { isError: unknown.isError, content: unknown.content },
      recount: { content: recount.content, progress, log },
      order: (await client.result('order', { article: 'chair' })).content,
      slogan: (await client.result('slogan', { article: 'chair' })).content,
      resources: (await client.resources().all()).map(({ uri }) => uri),
      article: (await client.read('article:///table')).contents,
      offer: (await client.prompt('offer', { article: 'table' })).messages,
      completion: (await client.complete({ prompt: 'offer' }, { argument: 'article', value: 'c' })).values,
    };
  } finally {
    await client.close();
  }
}
