// A client of the shop with the official SDK 2.x.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Report } from '../report.ts';

export async function visitShop(command: string, args: string[]): Promise<Report> {
  const client = new Client({ name: 'visitor', version: '1.0.0' }, { capabilities: { elicitation: {}, sampling: {} } });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { count: 2 } }));
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'a-model',
    content: { type: 'text', text: 'Sit down!' },
  }));
  const log: unknown[] = [];
  client.setNotificationHandler('notifications/message', ({ params }) => void log.push(params.data));
  await client.connect(new StdioClientTransport({ command, args }));
  try {
    await client.setLoggingLevel('info');
    const progress: unknown[] = [];
    const { tools } = await client.listTools();
    const recount = await client.callTool({ name: 'recount' }, { onprogress: (report) => void progress.push(report) });
    const stock = await client.callTool({ name: 'stock', arguments: { article: 'chair' } });
    const unknown = await client.callTool({ name: 'stock', arguments: { article: 'sofa' } });
    const order = await client.callTool({ name: 'order', arguments: { article: 'chair' } });
    const slogan = await client.callTool({ name: 'slogan', arguments: { article: 'chair' } });
    const { resources } = await client.listResources();
    const article = await client.readResource({ uri: 'article:///table' });
    const offer = await client.getPrompt({ name: 'offer', arguments: { article: 'table' } });
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'offer' },
      argument: { name: 'article', value: 'c' },
    });
    return {
      name: client.getServerVersion()?.name,
      instructions: client.getInstructions(),
      tools: tools.map(({ name }) => name),
      stock: { structured: stock.structuredContent, content: stock.content },
      unknown: { isError: unknown.isError, content: unknown.content },
      recount: { content: recount.content, progress, log },
      order: order.content,
      slogan: slogan.content,
      resources: resources.map(({ uri }) => uri),
      article: article.contents,
      offer: offer.messages,
      completion: completion.values,
    };
  } finally {
    await client.close();
  }
}
