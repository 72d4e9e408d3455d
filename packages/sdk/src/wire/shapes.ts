import { Mismatch, anything, flag, listOf, listOfSome, mapOf, members, number, object, oneOf, type Shape, text } from './shape.ts';

const role = oneOf('user', 'assistant');
const meta = object;
const annotations = members({}, { audience: listOf(text), priority: number, lastModified: text });
const icons = listOfSome(members({ src: text }, { mimeType: text, sizes: listOf(text), theme: text }));
const named = { title: text, description: text, icons, _meta: meta };
const described = { ...named, mimeType: text, annotations };

const tool = members(
  { name: text, inputSchema: object },
  {
    ...named,
    outputSchema: object,
    annotations: members({}, { title: text, readOnlyHint: flag, destructiveHint: flag, idempotentHint: flag, openWorldHint: flag }),
  },
);
const resource = members({ uri: text, name: text }, { ...described, size: number });
const template = members({ uriTemplate: text, name: text }, described);
const prompt = members(
  { name: text },
  { ...named, arguments: listOf(members({ name: text }, { title: text, description: text, required: flag })) },
);

const contentsMembers = members({ uri: text }, { mimeType: text, text, blob: text, _meta: meta });
const contents: Shape = (value, path) => {
  const checked = contentsMembers(value, path) as { text?: string; blob?: string };
  if (checked.text === undefined && checked.blob === undefined) throw new Mismatch(path, 'an object with "text" or "blob"');
  return checked;
};

const common = { annotations, _meta: meta };
const media = members({ data: text, mimeType: text }, common);
const BLOCKS: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ['text', members({ text }, common)],
  ['image', media],
  ['audio', media],
  ['resource', members({ resource: contents }, common)],
  ['resource_link', members({ uri: text, name: text }, { ...described, size: number })],
  ['tool_use', members({ id: text, name: text, input: object }, { _meta: meta })],
  ['tool_result', members({ toolUseId: text, content: (value, path) => listOf(block)(value, path) }, { isError: flag, _meta: meta })],
]);

const typed = members({ type: text });
/** A block of a type that is not known (yet) is let be. */
const block: Shape = (value, path) => {
  typed(value, path);
  return BLOCKS.get((value as { type: string }).type)?.(value, path) ?? value;
};

const blockOrBlocks: Shape = (value, path) => (Array.isArray(value) ? listOf(block)(value, path) : block(value, path));

const callMembers = members({ content: listOf(block) }, { isError: flag, _meta: meta });
/** Some servers leave `content` out beside `structuredContent`. */
const callResult: Shape = (value, path) => {
  const result = value as { content?: unknown; structuredContent?: unknown };
  const bare = result.content == null && Object.hasOwn(result, 'structuredContent');
  return callMembers(bare ? { ...result, content: [] } : result, path);
};

const page = (key: string, entry: Shape): Shape => {
  const entries = members({ [key]: listOfSome(entry) });
  const rest = members({}, { nextCursor: text, _meta: meta });
  return (value, path, report) => rest(entries(value, path, report), path);
};

/** Reports nothing: what is wrong in these is an error. */
const strict =
  (shape: Shape): Shape =>
  (value, path) =>
    shape(value, path);

const implementation = members({ name: text, version: text });

/** The shape of each method's finished result. */
export const RESULTS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['initialize', strict(members({ protocolVersion: text, capabilities: object, serverInfo: implementation }, { instructions: text }))],
  ['server/discover', strict(members({ supportedVersions: listOf(text), capabilities: object }, { instructions: text, _meta: meta }))],
  ['tools/list', page('tools', tool)],
  ['resources/list', page('resources', resource)],
  ['resources/templates/list', page('resourceTemplates', template)],
  ['prompts/list', page('prompts', prompt)],
  ['tools/call', callResult],
  ['resources/read', strict(members({ contents: listOf(contents) }, { _meta: meta }))],
  ['prompts/get', strict(members({ messages: listOf(members({ role, content: block })) }, { description: text, _meta: meta }))],
  [
    'completion/complete',
    strict(members({ completion: members({ values: listOf(text) }, { total: number, hasMore: flag }) }, { _meta: meta })),
  ],
]);

const elicitValue: Shape = (value, path) => {
  const fine =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
  if (!fine) throw new Mismatch(path, 'a string, a number, a boolean or an array of strings');
  return value;
};

/** The shape of each question's answer. */
export const ANSWERS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['elicitation/create', members({ action: oneOf('accept', 'decline', 'cancel') }, { content: mapOf(elicitValue), _meta: meta })],
  ['sampling/createMessage', members({ role, content: blockOrBlocks, model: text }, { stopReason: text, _meta: meta })],
  ['roots/list', members({ roots: listOf(members({ uri: text }, { name: text, _meta: meta })) }, { _meta: meta })],
]);

const message = members({ role, content: blockOrBlocks }, { _meta: meta });

/** The shape of each question's params. */
export const QUESTIONS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['elicitation/create', anything],
  ['sampling/createMessage', members({ messages: listOf(message), maxTokens: number }, { systemPrompt: text, temperature: number, stopSequences: listOf(text), includeContext: text, tools: listOf(members({ name: text, inputSchema: object }, { description: text })), _meta: meta })],
  ['roots/list', object],
]);
