// The places of invalid values in the messages of a server, and the kinds of values that are accepted there.
import type { Kind } from './kinds.ts';
import type { Wrong } from './peer.ts';

/** All kinds are invalid. */
const NOTHING: readonly Kind[] = [];
const MISSING: readonly Kind[] = ['missing'];
/** Optional; null counts as omitted. */
const ABSENT: readonly Kind[] = ['missing', 'null'];
/** Any string, which is shortened or escaped for display. */
const TEXT: readonly Kind[] = ['empty', 'control', 'unpaired', 'long'];
const OPTIONAL_TEXT: readonly Kind[] = [...ABSENT, ...TEXT];
const OBJECT: readonly Kind[] = ['object'];
const OPTIONAL_OBJECT: readonly Kind[] = [...ABSENT, ...OBJECT];
const FLAG: readonly Kind[] = [...ABSENT, 'boolean'];
const NUMBER: readonly Kind[] = [...ABSENT, 'number', 'negative', 'huge'];
/** Any value: it has no effect, is omitted silently, or is passed on to others. */
const ANYTHING: readonly Kind[] = [...NUMBER, 'boolean', 'array', ...OBJECT, ...TEXT];

const NO_MESSAGE = /no message|a message is|jsonrpc/;

/** `taken`: the accepted kinds, which need no message. `says`: the message about the others; by default it has to name the member. */
type Place = readonly [path: string, taken: readonly Kind[], says?: RegExp];

/** By era and document (see `documents.ts`). */
export const TABLE: readonly (readonly [era: Wrong['era'], document: string, places: readonly Place[]])[] = [
  [
    'legacy',
    'initialize',
    [
      ['protocolVersion', NOTHING, /protocol version/],
      ['capabilities', OBJECT],
      ['capabilities.tools', ANYTHING],
      ['capabilities.tools.listChanged', ANYTHING],
      ['capabilities.prompts', ANYTHING],
      ['capabilities.resources', ANYTHING],
      ['capabilities.tasks', ANYTHING],
      ['serverInfo', NOTHING],
      ['serverInfo.name', TEXT],
      ['serverInfo.version', TEXT],
      ['serverInfo.title', ANYTHING],
      ['serverInfo.icons', ANYTHING],
      ['instructions', OPTIONAL_TEXT],
    ],
  ],
  [
    'modern',
    'server/discover',
    [
      ['supportedVersions', NOTHING, /supportedVersions|no protocol revision in common/],
      ['supportedVersions.0', NOTHING, /no protocol revision in common/],
      ['capabilities', OBJECT],
      ['capabilities.tools', ANYTHING],
      ['ttlMs', ANYTHING],
      ['cacheScope', ANYTHING],
      ['resultType', MISSING],
      ['instructions', OPTIONAL_TEXT],
      ['_meta', OPTIONAL_OBJECT],
      ['_meta.io..modelcontextprotocol/serverInfo.name', ANYTHING],
    ],
  ],
  [
    'legacy',
    'tools/list',
    [
      ['', NOTHING],
      ['tools', NOTHING],
      ['tools.0', MISSING],
      ['tools.0.name', TEXT],
      ['tools.0.title', OPTIONAL_TEXT],
      ['tools.0.description', OPTIONAL_TEXT],
      ['tools.0.inputSchema', OBJECT],
      ['tools.0.inputSchema.type', ANYTHING],
      ['tools.0.inputSchema.properties', ANYTHING],
      ['tools.0.inputSchema.properties.a', ANYTHING],
      ['tools.0.inputSchema.properties.a.enum', ANYTHING],
      ['tools.0.inputSchema.properties.b.$ref', ANYTHING],
      ['tools.0.inputSchema.required', ANYTHING],
      ['tools.0.inputSchema.$defs', ANYTHING],
      ['tools.1.outputSchema', OPTIONAL_OBJECT],
      ['tools.1.outputSchema.properties', MISSING, /output schema of 'give' cannot be used/],
      ['tools.0.annotations', OPTIONAL_OBJECT],
      ['tools.0.annotations.title', OPTIONAL_TEXT],
      ['tools.0.annotations.readOnlyHint', FLAG],
      ['tools.0.icons', ABSENT],
      ['tools.0.icons.0', MISSING],
      ['tools.0.icons.0.src', NOTHING],
      ['tools.0.icons.0.sizes', ABSENT],
      ['tools.0.execution', ANYTHING],
      ['tools.0.execution.taskSupport', ANYTHING],
      ['tools.0._meta', OPTIONAL_OBJECT],
      ['tools.0._meta.ui', ANYTHING],
      ['nextCursor', ABSENT, /nextCursor|repeats the cursor/],
    ],
  ],
  [
    'modern',
    'tools/list',
    [
      ['ttlMs', ANYTHING],
      ['cacheScope', ANYTHING],
      ['resultType', MISSING],
    ],
  ],
  [
    'http',
    'tools/list',
    [
      ['tools.0.name', TEXT],
      ['tools.0.inputSchema.properties.a.x-mcp-header', ['missing', 'long']],
    ],
  ],
  ['http', 'prompts/list', [['prompts.0.name', TEXT]]],
  ['http', 'resources/list', [['resources.0.uri', TEXT]]],
  ['http', 'server/discover', [['instructions', OPTIONAL_TEXT]]],
  [
    'legacy',
    'prompts/list',
    [
      ['prompts', NOTHING],
      ['prompts.0.name', TEXT],
      ['prompts.0.title', OPTIONAL_TEXT],
      ['prompts.0.arguments', ABSENT],
      ['prompts.0.arguments.0', MISSING],
      ['prompts.0.arguments.0.name', TEXT],
      ['prompts.0.arguments.0.required', FLAG],
    ],
  ],
  [
    'legacy',
    'resources/list',
    [
      ['resources', NOTHING],
      ['resources.0.uri', TEXT],
      ['resources.0.name', TEXT],
      ['resources.0.mimeType', OPTIONAL_TEXT],
      ['resources.0.size', NUMBER],
      ['resources.0.annotations', OPTIONAL_OBJECT],
    ],
  ],
  [
    'legacy',
    'resources/templates/list',
    [
      ['resourceTemplates', NOTHING],
      ['resourceTemplates.0.uriTemplate', TEXT],
      ['resourceTemplates.0.name', TEXT],
    ],
  ],
  [
    'legacy',
    'tools/call',
    [
      ['', NOTHING],
      ['content', ABSENT],
      ['content.0', MISSING],
      ['content.0.type', TEXT],
      ['content.0.text', TEXT],
      ['content.0.annotations', OPTIONAL_OBJECT],
      ['content.1.data', TEXT],
      ['content.1.mimeType', TEXT],
      ['content.3.resource', NOTHING],
      ['content.3.resource.uri', TEXT],
      ['content.3.resource.text', TEXT, /text/],
      ['content.4.resource.blob', TEXT, /blob/],
      ['content.5.uri', TEXT],
      ['content.5.name', TEXT],
      ['content.5.size', NUMBER],
      ['structuredContent', OBJECT, /structured content|output schema/],
      ['structuredContent.a', ANYTHING],
      ['isError', ABSENT, /isError|done/],
      ['task', ANYTHING],
      ['_meta', OPTIONAL_OBJECT],
    ],
  ],
  ['modern', 'tools/call', [['resultType', MISSING]]],
  [
    'legacy',
    'resources/read',
    [
      ['contents', NOTHING],
      ['contents.0.uri', TEXT],
      ['contents.0.text', TEXT],
      ['contents.1.blob', TEXT],
      ['contents.1.mimeType', OPTIONAL_TEXT],
    ],
  ],
  [
    'modern',
    'resources/read',
    [
      ['ttlMs', NUMBER],
      ['cacheScope', ABSENT],
    ],
  ],
  [
    'legacy',
    'prompts/get',
    [
      ['messages', NOTHING],
      ['messages.0.role', NOTHING],
      ['messages.0.content', NOTHING],
      ['messages.0.content.text', TEXT],
      ['messages.2.content.data', TEXT],
      ['messages.2.content.mimeType', TEXT],
      ['description', OPTIONAL_TEXT],
    ],
  ],
  [
    'legacy',
    'completion/complete',
    [
      ['completion', NOTHING],
      ['completion.values', NOTHING],
      ['completion.values.0', ['missing', 'empty', 'control', 'unpaired', 'long']],
      ['completion.total', NUMBER],
      ['completion.hasMore', FLAG],
    ],
  ],
  [
    'legacy',
    'progress',
    [
      ['', NOTHING, NO_MESSAGE],
      ['params', NOTHING, /params|Progress without token/],
      [
        'params.progressToken',
        ['null', 'number', 'negative', 'huge', 'boolean', 'array', 'object', 'empty', 'control', 'unpaired', 'long'],
        /Progress without token/,
      ],
      ['params.progress', ['number', 'negative', 'huge'], /Progress without token/],
      ['params.total', ANYTHING],
      ['params.message', ANYTHING],
    ],
  ],
  [
    'legacy',
    'log',
    [
      ['params.level', NOTHING],
      ['params.logger', ANYTHING],
      ['params.data', ANYTHING],
    ],
  ],
  [
    'legacy',
    'changed',
    [
      ['method', TEXT, /method|result/],
      ['params', ['missing', 'object']],
    ],
  ],
  ['legacy', 'updated', [['params.uri', ANYTHING]]],
  [
    'legacy',
    'cancelled',
    [
      ['params.requestId', ANYTHING],
      ['params.reason', ANYTHING],
    ],
  ],
  ['legacy', 'completed', [['params.elicitationId', ANYTHING]]],
  [
    'legacy',
    'taskStatus',
    [
      ['params', ['missing', 'object']],
      ['params.taskId', ANYTHING],
      ['params.status', ANYTHING],
    ],
  ],
  [
    'legacy',
    'form',
    [
      ['', NOTHING, NO_MESSAGE],
      ['jsonrpc', NOTHING],
      ['id', ['missing', 'number', 'negative', 'empty', 'control', 'unpaired', 'long']],
      ['method', TEXT, /method|result/],
      ['params', NOTHING, /params|message/],
      ['params.mode', MISSING],
      ['params.message', TEXT],
      ['params.requestedSchema', OBJECT],
      ['params.requestedSchema.type', ANYTHING],
      ['params.requestedSchema.properties', ANYTHING],
      ['params.requestedSchema.properties.a', ANYTHING],
      ['params.requestedSchema.properties.a.type', ANYTHING],
      ['params.requestedSchema.properties.a.title', ANYTHING],
      ['params.requestedSchema.properties.a.format', ANYTHING],
      ['params.requestedSchema.properties.a.minLength', ANYTHING],
      ['params.requestedSchema.properties.a.default', ANYTHING],
      ['params.requestedSchema.properties.b.enum', ANYTHING],
      ['params.requestedSchema.properties.b.enumNames', ANYTHING],
      ['params.requestedSchema.properties.c.oneOf', ANYTHING],
      ['params.requestedSchema.properties.d.items', ANYTHING],
      ['params.requestedSchema.required', ANYTHING],
    ],
  ],
  [
    'legacy',
    'page',
    [
      ['params.message', TEXT],
      ['params.url', NOTHING],
      ['params.elicitationId', ANYTHING],
    ],
  ],
  [
    'legacy',
    'sampling',
    [
      ['params', NOTHING, /params|maxTokens/],
      ['params.messages', NOTHING],
      ['params.messages.0.role', NOTHING],
      ['params.messages.0.content', NOTHING],
      ['params.messages.0.content.type', NOTHING],
      ['params.messages.0.content.text', TEXT],
      ['params.messages.1.content.0', NOTHING],
      ['params.messages.2.content.data', ['long']],
      ['params.messages.2.content.mimeType', NOTHING],
      ['params.maxTokens', ['number', 'huge']],
      ['params.systemPrompt', OPTIONAL_TEXT],
      ['params.temperature', ['missing', 'null', 'number', 'negative']],
      ['params.stopSequences', ABSENT],
      ['params.stopSequences.0', ['missing', 'empty', 'control', 'unpaired', 'long']],
      ['params.modelPreferences', OPTIONAL_OBJECT],
      ['params.modelPreferences.hints', ABSENT],
      ['params.modelPreferences.hints.0', ['missing', 'object']],
      ['params.modelPreferences.hints.0.name', OPTIONAL_TEXT],
      ['params.modelPreferences.costPriority', ['missing', 'null', 'number', 'negative']],
      ['params.includeContext', ANYTHING],
      ['params.metadata', OPTIONAL_OBJECT],
    ],
  ],
  [
    'legacy',
    'roots',
    [
      ['id', ['missing', 'number', 'negative', 'empty', 'control', 'unpaired', 'long']],
      ['params', ['missing', 'object']],
      ['params._meta', ANYTHING],
    ],
  ],
  ['legacy', 'ping', [['params', ['missing', 'object']]]],
  [
    'legacy',
    'error',
    [
      ['', NOTHING, /No answer to tools.call/],
      ['id', NOTHING, /"id" must be|No answer to tools.call|refused the call/],
      ['error', NOTHING, /error/],
      ['error.code', NOTHING, /error|no database/],
      ['error.message', NOTHING, /error|refused the call/],
      ['error.data', NOTHING, /no database/],
    ],
  ],
  [
    'modern',
    'asking',
    [
      ['inputRequests', MISSING],
      ['inputRequests.q', MISSING],
      ['inputRequests.q.method', NOTHING],
      ['inputRequests.q.params', NOTHING, /params|message/],
      ['inputRequests.q.params.message', TEXT],
      ['inputRequests.q.params.requestedSchema', OBJECT],
      ['requestState', ['missing', 'empty', 'control', 'unpaired', 'long']],
    ],
  ],
];
