import {
  answer,
  cases,
  client,
  complete,
  discovered,
  handshake,
  modern,
  rest,
  server,
  stdio,
  tell,
} from '../fixtures/traces.ts';

const ID = 'io.modelcontextprotocol/subscriptionId';
function on(id: unknown, method: string, params: object = {}) {
  return server({ method: `notifications/${method}`, params: { ...params, _meta: { [ID]: id } } });
}
function listen(notifications: object = { toolsListChanged: true }) {
  return [stdio, discovered(), modern(1, 'subscriptions/listen', { notifications })];
}
const acknowledged = on(1, 'subscriptions/acknowledged', { notifications: { toolsListChanged: true } });
const error = { blame: 'server', severity: 'error' } as const;

cases('listen-ack', {
  broken: {
    'a change before the acknowledgement': {
      ...error,
      trace: [...listen(), on(1, 'tools/list_changed'), on(1, 'tools/list_changed')],
      says: /notifications\/tools\/list_changed on a subscription before it acknowledged it/,
      cites: ['subscriptions/listen', 'tools/list_changed'],
      clause: /subscriptions#acknowledgment$/,
    },
  },
  kept: {
    'a change after it': [...listen(), acknowledged, on(1, 'tools/list_changed')],
    'a change of another subscription': [
      ...listen(),
      acknowledged,
      modern(2, 'subscriptions/listen', { notifications: {} }),
      on(1, 'tools/list_changed'),
    ],
  },
});

cases('listen-unasked', {
  broken: {
    'a change that was not asked for': {
      ...error,
      trace: [...listen(), acknowledged, on(1, 'prompts/list_changed')],
      says: /prompts\/list_changed on a subscription that does not ask for it/,
      cites: ['subscriptions/listen', 'prompts'],
    },
    'an update without any resource': {
      ...error,
      trace: [...listen(), acknowledged, on(1, 'resources/updated', { uri: 'a:b' })],
      says: /resources\/updated/,
    },
    'a log': {
      ...error,
      trace: [...listen(), acknowledged, on(1, 'message', { level: 'info', data: 1 })],
      says: /notifications\/message/,
    },
  },
  kept: {
    'a requested notification': [
      ...listen({ toolsListChanged: true, resourceSubscriptions: ['file:///a'] }),
      acknowledged,
      on(1, 'tools/list_changed'),
      on(1, 'resources/updated', { uri: 'file:///a/b' }),
    ],
    'notifications of an extension': [...listen({ taskIds: ['1'] }), acknowledged, on(1, 'tasks', {})],
  },
});

cases('listen-id', {
  broken: {
    'a change without an id': {
      ...error,
      trace: [...listen(), acknowledged, tell('notifications/tools/list_changed')],
      says: /tools\/list_changed without the id of a subscription/,
    },
    'an id that does not exist': {
      ...error,
      trace: [...listen(), acknowledged, on(9, 'tools/list_changed')],
      says: /for 9, which is not a subscription/,
    },
    'an id as another type': {
      ...error,
      trace: [...listen(), on('1', 'subscriptions/acknowledged')],
      says: /for "1", but the subscription is 1/,
    },
    'a subscription that ended': {
      blame: 'server',
      severity: 'warning',
      trace: [
        ...listen(),
        acknowledged,
        client({ method: 'notifications/cancelled', params: { requestId: 1 } }),
        rest(5_000),
        on(1, 'tools/list_changed'),
      ],
      says: /that had ended/,
    },
    'a change long after its end': {
      blame: 'server',
      severity: 'warning',
      trace: [...listen(), acknowledged, complete(1, { _meta: { [ID]: 1 } }), rest(5_000), on(1, 'tools/list_changed')],
      says: /that had ended/,
    },
    'an end without an id': {
      blame: 'server',
      severity: 'warning',
      trace: [...listen(), acknowledged, complete(1)],
      says: /ends a subscription names nothing instead of 1/,
    },
  },
  kept: {
    'a subscription from its beginning to its end': [
      ...listen(),
      acknowledged,
      on(1, 'tools/list_changed'),
      complete(1, { _meta: { [ID]: 1 } }),
    ],
    'a notification that crosses the end': [
      ...listen(),
      acknowledged,
      complete(1, { _meta: { [ID]: 1 } }),
      on(1, 'tools/list_changed'),
    ],
    'changes after a handshake': [stdio, handshake(), tell('notifications/tools/list_changed')],
    'a server that is refused': [...listen(), answer(1, { resultType: 'complete', _meta: { [ID]: 1 } })],
  },
});
