/**
 * The effect of a change. `breaking`: calls that worked fail. `risky`: calls may fail, but the two surfaces do not show it.
 * `compatible`: calls keep working.
 */
export type ChangeLevel = 'breaking' | 'risky' | 'compatible';

/** A difference between two surfaces. */
export interface Change {
  /** The effect on users of the server. */
  readonly level: ChangeLevel;
  /** The kind of change: a row of `CHANGE_KINDS`. */
  readonly kind: ChangeKind;
  /** Its path: `tool add /inputSchema/required`. */
  readonly path: string;
  /** One sentence about the difference. */
  readonly message: string;
  /** The value before. Undefined: none. */
  readonly before?: unknown;
  /** The value now. Undefined: none. */
  readonly after?: unknown;
}

/** The side whose values a schema describes: `input` for values of clients, `output` for values of the server. */
export type Direction = 'input' | 'output';

/** A description of a kind of change, and its level: one for all schemas, or one for each direction. */
interface KindRow {
  readonly what: string;
  readonly level: ChangeLevel | readonly [input: ChangeLevel, output: ChangeLevel];
}

const ROWS = {
  'server-renamed': { what: 'The name of the server changed', level: 'risky' },
  'version-changed': { what: 'The version of the server changed', level: 'compatible' },
  'revision-changed': { what: 'It was read in another revision of the protocol', level: 'risky' },
  'instructions-changed': {
    what: 'The instructions: models read them, and they can contain instructions',
    level: 'risky',
  },
  'capability-removed': { what: 'A capability, or a part of one', level: 'breaking' },
  'capability-added': { what: 'A capability, or a part of one', level: 'compatible' },
  'capability-changed': { what: 'The settings of a capability', level: 'risky' },

  'tool-removed': { what: 'A tool is gone', level: 'breaking' },
  'tool-renamed': { what: 'A tool with the same schema and description has another name', level: 'breaking' },
  'tool-added': { what: 'A tool is new', level: 'compatible' },
  'resource-removed': { what: 'A resource is gone', level: 'breaking' },
  'resource-added': { what: 'A resource is new', level: 'compatible' },
  'template-removed': { what: 'A template is gone', level: 'breaking' },
  'template-changed': { what: 'A template of the same name has another form', level: 'breaking' },
  'template-added': { what: 'A template is new', level: 'compatible' },
  'prompt-removed': { what: 'A prompt is gone', level: 'breaking' },
  'prompt-added': { what: 'A prompt is new', level: 'compatible' },
  'entry-unusable': { what: 'An entry is not an object, or has no name: it cannot be compared', level: 'risky' },

  'description-changed': { what: 'A description: models read it, and it can contain instructions', level: 'risky' },
  'title-changed': { what: 'A title, or the name of a resource', level: 'compatible' },
  'annotations-changed': { what: 'Annotations: hosts use them to decide whether to ask', level: 'risky' },
  'icons-changed': { what: 'Icons', level: 'compatible' },
  'meta-changed': { what: '`_meta`: only extensions know its meaning', level: 'risky' },
  'member-changed': { what: 'A member that is not known here', level: 'risky' },
  'mime-type-changed': { what: 'The MIME type of a resource', level: 'risky' },
  'task-required': { what: 'A tool can be called as a task only', level: 'breaking' },
  'task-forbidden': { what: 'A tool can no longer be called as a task', level: 'breaking' },
  'task-allowed': { what: 'A tool can be called as a task, or without', level: 'compatible' },
  'output-schema-removed': { what: 'A tool no longer declares an output schema', level: 'breaking' },
  'output-schema-added': { what: 'A tool declares an output schema', level: 'compatible' },
  'prompt-argument-required': {
    what: 'An argument of a prompt that is new, or was optional, is required',
    level: 'breaking',
  },
  'prompt-argument-optional': { what: 'An argument of a prompt is no longer required', level: 'compatible' },
  'prompt-argument-removed': { what: 'An argument of a prompt is gone', level: 'breaking' },
  'prompt-argument-added': { what: 'An argument of a prompt that is not required is new', level: 'compatible' },

  'property-required': {
    what: 'A property that is new, or was optional, is required',
    level: ['breaking', 'compatible'],
  },
  'property-optional': { what: 'A property is no longer required', level: ['compatible', 'breaking'] },
  'property-removed': { what: 'A property is gone', level: ['breaking', 'breaking'] },
  'property-added': { what: 'A property that is not required is new', level: ['compatible', 'compatible'] },
  'type-narrowed': { what: 'Fewer types than before', level: ['breaking', 'compatible'] },
  'type-widened': { what: 'More types than before', level: ['compatible', 'breaking'] },
  'type-changed': { what: 'Other types than before', level: ['breaking', 'breaking'] },
  'values-removed': { what: 'Fewer values of an `enum`, or one that is new', level: ['breaking', 'compatible'] },
  'values-added': { what: 'More values of an `enum`, or none any more', level: ['compatible', 'breaking'] },
  'bounds-tightened': {
    what: 'A bound that lets less through: of a number, a length, a count, a pattern',
    level: ['breaking', 'compatible'],
  },
  'bounds-loosened': { what: 'A bound that lets more through', level: ['compatible', 'breaking'] },
  'bounds-changed': { what: 'A bound that lets other values through', level: ['breaking', 'breaking'] },
  'extra-refused': {
    what: 'Properties or items that are not described are refused',
    level: ['breaking', 'compatible'],
  },
  'extra-allowed': { what: 'Properties or items that are not described are allowed', level: ['compatible', 'risky'] },
  'alternatives-removed': {
    what: 'Fewer forms of an `anyOf` or `oneOf`, or a choice that is new',
    level: ['breaking', 'compatible'],
  },
  'alternatives-added': {
    what: 'More forms of an `anyOf` or `oneOf`, or none any more',
    level: ['compatible', 'breaking'],
  },
  'default-changed': { what: 'A default: the behaviour if no value is given', level: ['risky', 'compatible'] },
  'header-changed': {
    what: '`x-mcp-header`: clients that keep the old list send the wrong headers',
    level: ['risky', 'compatible'],
  },
  'format-changed': { what: 'A `format`: some check it, others do not', level: ['risky', 'risky'] },
  'schema-text-changed': {
    what: 'A title, description or example inside of a schema: models read them',
    level: ['risky', 'risky'],
  },
  'keyword-changed': { what: 'A keyword that is not known here', level: ['risky', 'risky'] },
  'dialect-equivalent': {
    what: 'The dialect is now 2020-12, and was an older one in which the schema means the same',
    level: ['compatible', 'compatible'],
  },
  'dialect-changed': { what: 'The dialect of a schema', level: ['risky', 'risky'] },
  undecided: {
    what: 'A change that may accept more or less, which is not decidable here: patterns, `not`, `if`, overlapping forms, unresolvable references, schemas nested too deeply',
    level: ['risky', 'risky'],
  },
} as const satisfies Record<string, KindRow>;

/** The kind of a change, such as `tool-removed`. */
export type ChangeKind = keyof typeof ROWS;

/** All kinds of changes, with their levels. */
export const CHANGE_KINDS: ReadonlyMap<ChangeKind, KindRow> = new Map(Object.entries(ROWS) as [ChangeKind, KindRow][]);

/** The level of a change in a direction. */
function levelOf(kind: ChangeKind, direction: Direction): ChangeLevel {
  const { level } = CHANGE_KINDS.get(kind)!;
  return typeof level === 'string' ? level : level[direction === 'input' ? 0 : 1];
}

/** The most changes listed. */
const MAX_CHANGES = 5_000;

/** Collects changes, up to a limit. */
export interface ChangeLog {
  add(
    kind: ChangeKind,
    path: string,
    message: string,
    values?: { readonly before?: unknown; readonly after?: unknown },
  ): void;
  /** A log for schemas of the other direction, with the same changes. */
  of(direction: Direction): ChangeLog;
  readonly changes: readonly Change[];
}

export function createLog(direction: Direction = 'input', changes: Change[] = []): ChangeLog {
  return {
    add(kind, path, message, values = {}) {
      if (changes.length < MAX_CHANGES)
        changes.push({ level: levelOf(kind, direction), kind, path, message, ...values });
      else if (changes.length === MAX_CHANGES)
        changes.push({
          level: 'risky',
          kind: 'undecided',
          path: 'server',
          message: `There are more than ${MAX_CHANGES.toLocaleString('en')} changes: the others are not listed`,
        });
    },
    of: (other) => createLog(other, changes),
    changes,
  };
}
