import type { JsonSchema, PromptArgument, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '../protocol/entities.ts';
import { metaKeyProblem } from '../protocol/meta.ts';
import { isObject } from '../protocol/jsonrpc.ts';
import { type Adapted, adaptSchema } from '../schema/adapt.ts';
import { parseTemplate, type UriTemplate } from '../schema/uri-template.ts';
import type { Prompt } from './prompt.ts';
import type { ListedResource, Resource } from './resource.ts';
import { annotationsOf, type Tool } from './tool.ts';

/** A tool, ready to be called. */
export interface CompiledTool {
  readonly name: string;
  readonly tool: Tool;
  readonly entry: ToolEntry;
  readonly input: Adapted | undefined;
  readonly output: Adapted | undefined;
}

/** A resource or a template, ready to be read. */
export interface CompiledResource {
  /** The URI or the text of the template. */
  readonly name: string;
  readonly resource: Resource;
  readonly template: UriTemplate | undefined;
  readonly entry: ResourceEntry | TemplateEntry;
}

/** A prompt, ready to be given. */
export interface CompiledPrompt {
  readonly name: string;
  readonly prompt: Prompt;
  readonly entry: PromptEntry;
  readonly input: Adapted | undefined;
}

const NO_ARGUMENTS: JsonSchema = { type: 'object', additionalProperties: false };
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Only the members that have a value. */
const present = <T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

const checkMeta = (meta: object | undefined): void => {
  for (const key of Object.keys(meta ?? {})) {
    const problem = metaKeyProblem(key);
    if (problem !== undefined) throw new TypeError(`_meta key ${problem}`);
  }
};

/** Compiles a tool; throws when it cannot work under this name. */
export const compileTool = (name: string, tool: Tool): CompiledTool => {
  if (tool?.kind !== 'tool') throw new TypeError('make it with tool(options, handler)');
  if (!TOOL_NAME.test(name)) throw new TypeError('a tool name has 1 to 128 letters, digits, "_", "-" or "."');
  const { options } = tool;
  checkMeta(options.meta);
  const input = options.input === undefined ? undefined : adaptSchema(options.input, 'input');
  const output = options.output === undefined ? undefined : adaptSchema(options.output, 'output');
  if (input !== undefined && input.json['type'] !== 'object') throw new TypeError('the root of its input schema must be an object ("type": "object")');
  const entry = present({
    name,
    title: options.title,
    description: options.description,
    inputSchema: input?.json ?? NO_ARGUMENTS,
    outputSchema: output?.json,
    annotations: annotationsOf(options),
    icons: options.icons?.slice(),
    _meta: options.meta,
  }) as ToolEntry;
  return { name, tool, entry, input, output };
};

/** Compiles a resource or a template; throws when its URI is none. */
export const compileResource = (uri: string, resource: Resource): CompiledResource => {
  if (resource?.kind !== 'resource') throw new TypeError('make it with resource(options, handler)');
  const { options } = resource;
  checkMeta(options.meta);
  const template = /[{}]/.test(uri) ? parseTemplate(uri) : undefined;
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) throw new TypeError('a URI starts with a scheme, as in "config://app" (RFC 3986)');
  if (template === undefined && (options.list ?? options.complete) !== undefined) {
    throw new TypeError('`list` and `complete` are for templates: this URI has no {variables}');
  }
  for (const variable of Object.keys(options.complete ?? {})) {
    if (!template!.variables.includes(variable)) throw new TypeError(`it completes '${variable}', which is no variable of the template`);
  }
  return { name: uri, resource, template, entry: template === undefined ? resourceEntry({ ...options, uri }) : templateEntry(uri, resource) };
};

/** How a list shows a resource. */
export const resourceEntry = ({ uri, name, title, description, mimeType, size, annotations, icons, meta }: ListedResource): ResourceEntry =>
  present({ uri, name, title, description, mimeType, size, annotations, icons: icons?.slice(), _meta: meta }) as ResourceEntry;

const templateEntry = (uriTemplate: string, { options }: Resource): TemplateEntry => {
  const { name, title, description, mimeType, annotations, icons, meta } = options;
  return present({ uriTemplate, name, title, description, mimeType, annotations, icons: icons?.slice(), _meta: meta }) as TemplateEntry;
};

/** Compiles a prompt; throws when a client could not fill in its arguments. */
export const compilePrompt = (name: string, prompt: Prompt): CompiledPrompt => {
  if (prompt?.kind !== 'prompt') throw new TypeError('make it with prompt(options, handler)');
  const { options } = prompt;
  checkMeta(options.meta);
  const input = options.input === undefined ? undefined : adaptSchema(options.input, 'input');
  const args = input === undefined ? undefined : promptArguments(input.json);
  for (const argument of Object.keys(options.complete ?? {})) {
    if (!args?.some((known) => known.name === argument)) throw new TypeError(`it completes '${argument}', which is no argument`);
  }
  const { title, description, icons, meta } = options;
  const entry = present({ name, title, description, arguments: args, icons: icons?.slice(), _meta: meta }) as PromptEntry;
  return { name, prompt, entry, input };
};

const promptArguments = (schema: JsonSchema): PromptArgument[] => {
  const properties = schema['properties'];
  if (schema['type'] !== 'object' || (properties !== undefined && !isObject(properties))) {
    throw new TypeError('the input schema of a prompt is an object with a property per argument');
  }
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  return Object.entries(properties ?? {}).map(([name, property]) => {
    const { title, description } = isObject(property) ? property : {};
    return present({ name, title, description, required: required.has(name) ? true : undefined }) as PromptArgument;
  });
};
