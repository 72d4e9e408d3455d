import {
  flag,
  iconSource,
  listOf,
  listOfSome,
  members,
  Mismatch,
  number,
  object,
  oneOf,
  type Shape,
  text,
} from './shape.ts';

const role = oneOf('user', 'assistant');
const meta = object;
const annotations = members({}, { audience: listOf(text), priority: number, lastModified: text });
const icons = listOfSome(members({ src: iconSource }, { mimeType: text, sizes: listOf(text), theme: text }));
const named = { title: text, description: text, icons, _meta: meta };
const described = { ...named, mimeType: text, annotations };

const hints = members(
  {},
  { title: text, readOnlyHint: flag, destructiveHint: flag, idempotentHint: flag, openWorldHint: flag },
);
const execution = members({}, { taskSupport: oneOf('optional', 'required', 'forbidden') });
const tool = members(
  { name: text, inputSchema: object },
  { ...named, outputSchema: object, annotations: hints, execution },
);
const resource = members({ uri: text, name: text }, { ...described, size: number });
const template = members({ uriTemplate: text, name: text }, described);
const argument = members({ name: text }, { title: text, description: text, required: flag });
const prompt = members({ name: text }, { ...named, arguments: listOf(argument) });

/** A malformed optional member is an error here: nothing is left out and reported. */
function strict(shape: Shape): Shape {
  return (value, path) => shape(value, path);
}

const contentsMembers = members({ uri: text }, { mimeType: text, text, blob: text, _meta: meta });
const contents: Shape = (value, path) => {
  const checked = contentsMembers(value, path) as { text?: string; blob?: string };
  if (checked.text === undefined && checked.blob === undefined)
    throw new Mismatch(path, 'an object with "text" or "blob"');
  return checked;
};

const common = { annotations, _meta: meta };
const media = members({ data: text, mimeType: text }, common);
const blocks: Shape = (value, path) => listOf(block)(value, path);
const BLOCKS: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ['text', members({ text }, common)],
  ['image', media],
  ['audio', media],
  ['resource', members({ resource: contents }, common)],
  ['resource_link', members({ uri: text, name: text }, { ...described, size: number })],
  ['tool_use', members({ id: text, name: text, input: object }, { _meta: meta })],
  ['tool_result', members({ toolUseId: text, content: blocks }, { isError: flag, _meta: meta })],
]);

const typed = members({ type: text });
/** A block of an unknown type (of a later revision, for example) stays as it is. */
const block: Shape = (value, path) => {
  const { type } = typed(value, path) as { type: string };
  const shape = BLOCKS.get(type);
  return shape === undefined ? value : shape(value, path);
};

const callMembers = members({ content: blocks }, { isError: flag, _meta: meta });
/** Some servers leave `content` out beside `structuredContent`. */
const callResult: Shape = (value, path) => {
  const result = value as { content?: unknown };
  const bare = result.content == null && Object.hasOwn(result, 'structuredContent');
  return callMembers(bare ? { ...result, content: [] } : result, path);
};

function page(key: string, entry: Shape): Shape {
  const entries = members({ [key]: listOfSome(entry) });
  const rest = members({}, { nextCursor: text, _meta: meta });
  return (value, path, report) => rest(entries(value, path, report), path);
}

const cacheHints = members({}, { ttlMs: number, cacheScope: oneOf('public', 'private') });
/** Invalid caching hints are dropped: they must not make the result fail. */
function hinted(shape: Shape): Shape {
  return (value, path, report = () => {}) => cacheHints(shape(value, path, report), path, report);
}

const program = members({ name: text, version: text });
/** A program, as it is shown to people. */
export const shownProgram = members(
  { name: text, version: text },
  { title: text, description: text, websiteUrl: text, icons },
);
const completion = members({ values: listOf(text) }, { total: number, hasMore: flag });

/** The shape of the finished result of each method. */
export const RESULTS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  [
    'initialize',
    strict(members({ protocolVersion: text, capabilities: object, serverInfo: program }, { instructions: text })),
  ],
  [
    'server/discover',
    strict(members({ supportedVersions: listOf(text), capabilities: object }, { instructions: text, _meta: meta })),
  ],
  ['tools/list', page('tools', tool)],
  ['resources/list', page('resources', resource)],
  ['resources/templates/list', page('resourceTemplates', template)],
  ['prompts/list', page('prompts', prompt)],
  ['tools/call', callResult],
  ['resources/read', hinted(strict(members({ contents: listOf(contents) }, { _meta: meta })))],
  [
    'prompts/get',
    strict(members({ messages: listOf(members({ role, content: block })) }, { description: text, _meta: meta })),
  ],
  ['completion/complete', strict(members({ completion }, { _meta: meta }))],
]);
