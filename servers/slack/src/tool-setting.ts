import { type CallContext, ToolError } from 'tenon';
import { dataReply } from '../../shared/api/data-reply.ts';
import { type Slack, type SlackFor, SERVICE } from './slack-client.ts';

/** What the tools get from their server. */
export interface ToolSetting {
  readonly slackFor: SlackFor;
  /** The workspace whose channels and users are listed. Tokens of an organization need it. */
  readonly teamId: string | undefined;
  /** The only channels that may be used. Undefined: all that the app can see. */
  readonly channels: readonly string[] | undefined;
  /** Whether to ask the user before a message notifies a whole channel, if the client supports elicitation. */
  readonly confirm: boolean;
}

/** Makes handlers of tools, which get the requests of their call. */
export function createHandlers({ slackFor }: ToolSetting) {
  return function withSlack<In, Out>(act: (slack: Slack, input: In, ctx: CallContext) => Promise<Out>) {
    return (input: In, ctx: CallContext): Promise<Out> => act(slackFor(ctx), input, ctx);
  };
}

/** Throws a `ToolError` for a channel that may not be used. */
export function checkChannel({ channels }: ToolSetting, id: string): void {
  if (channels?.includes(id) === false)
    throw new ToolError(`This server may use only these channels: ${channels.join(', ')}.`);
}

/** Where the next page begins, in the form of Slack's answers. */
export function nextOf(answer: { readonly response_metadata?: { readonly next_cursor?: string } }) {
  return { next_cursor: answer.response_metadata?.next_cursor ?? '' };
}

/** A result with a list. The notes say how to get the next page. */
export function listReply<T extends { readonly response_metadata: { readonly next_cursor: string } }>(
  value: T,
  notes: readonly string[] = [],
) {
  const { next_cursor } = value.response_metadata;
  const more = next_cursor === '' ? [] : [`There are more: ask again with the cursor ${JSON.stringify(next_cursor)}.`];
  return dataReply(SERVICE, value, { notes: [...notes, ...more] });
}
