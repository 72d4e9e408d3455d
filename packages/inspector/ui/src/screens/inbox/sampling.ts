import { isObject } from '@tenon/values/is-object';

/** A message in a sampling request. */
export interface SamplingMessage {
  /** `system`, `user`, `assistant`, or any other text of the server. */
  readonly role: string;
  readonly text: string;
}

function textOf(content: unknown): string {
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (!isObject(content)) return String(content);
  const { type, text } = content;
  return type === 'text' && typeof text === 'string' ? text : `(${typeof type === 'string' ? type : 'unknown'})`;
}

/** The messages of a sampling request, in order. It comes from a server, so anything may be missing. */
export function messagesIn(request: string): readonly SamplingMessage[] {
  const { systemPrompt, messages } = JSON.parse(request) as Readonly<Record<string, unknown>>;
  const system = typeof systemPrompt === 'string' ? [{ role: 'system', text: systemPrompt }] : [];
  const spoken = (Array.isArray(messages) ? (messages as unknown[]) : []).flatMap((message) =>
    isObject(message) ? [{ role: String(message['role']), text: textOf(message['content']) }] : [],
  );
  return [...system, ...spoken];
}
