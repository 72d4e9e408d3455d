// The methods of Slack's API that this server uses, with the arguments and answers that Slack's own library declares.
import type {
  ChatPostMessageArguments,
  ChatPostMessageResponse,
  ConversationsHistoryArguments,
  ConversationsHistoryResponse,
  ConversationsInfoArguments,
  ConversationsInfoResponse,
  ConversationsListArguments,
  ConversationsListResponse,
  ConversationsRepliesArguments,
  ConversationsRepliesResponse,
  ReactionsAddArguments,
  ReactionsAddResponse,
  UsersListArguments,
  UsersListResponse,
  UsersProfileGetArguments,
  UsersProfileGetResponse,
} from '@slack/web-api';

interface Method<Arguments, Response> {
  readonly arguments: Arguments;
  readonly response: Response;
}

export interface Methods {
  'chat.postMessage': Method<ChatPostMessageArguments, ChatPostMessageResponse>;
  'conversations.history': Method<ConversationsHistoryArguments, ConversationsHistoryResponse>;
  'conversations.info': Method<ConversationsInfoArguments, ConversationsInfoResponse>;
  'conversations.list': Method<ConversationsListArguments, ConversationsListResponse>;
  'conversations.replies': Method<ConversationsRepliesArguments, ConversationsRepliesResponse>;
  'reactions.add': Method<ReactionsAddArguments, ReactionsAddResponse>;
  'users.list': Method<UsersListArguments, UsersListResponse>;
  'users.profile.get': Method<UsersProfileGetArguments, UsersProfileGetResponse>;
}

/** How each method is requested. `type`: what its types in Slack's library begin with. */
export const METHODS: Readonly<Record<keyof Methods, { readonly verb: 'GET' | 'POST'; readonly type: string }>> = {
  'chat.postMessage': { verb: 'POST', type: 'ChatPostMessage' },
  'conversations.history': { verb: 'GET', type: 'ConversationsHistory' },
  'conversations.info': { verb: 'GET', type: 'ConversationsInfo' },
  'conversations.list': { verb: 'GET', type: 'ConversationsList' },
  'conversations.replies': { verb: 'GET', type: 'ConversationsReplies' },
  'reactions.add': { verb: 'POST', type: 'ReactionsAdd' },
  'users.list': { verb: 'GET', type: 'UsersList' },
  'users.profile.get': { verb: 'GET', type: 'UsersProfileGet' },
};
