import { isObject } from '@tenon/values/is-object';
import { resolveReference } from '../command-line/schema-types.ts';
import { arrayType } from './array-type.ts';
import { describe } from './describe.ts';
import { choiceType, literalType } from './literal-type.ts';
import type { TypeNames } from './names.ts';
import { objectType } from './object-type.ts';
import { type Budget, own, type Reading, type Schema, TOO_LARGE } from './reading.ts';
import { commentText } from './source-text.ts';
import {
  intersectionOf,
  type NamedType,
  NEVER,
  type TypeNode,
  unionOf,
  unknownType,
  withNote,
  word,
} from './type-node.ts';

/** Deeper types are hard to read, and take the compiler long. */
const MAX_DEPTH = 40;
/** The maximum number of parts of one schema that are read. */
const MAX_PARTS = 10_000;
const MAX_BRANCHES = 500;

/** Keywords with restrictions that no type can express. */
const INEXPRESSIBLE = [
  'not',
  'if',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'contains',
  'propertyNames',
  '$dynamicRef',
  '$recursiveRef',
] as const;

/** Keywords that imply the type where a schema does not declare it. */
const IMPLIED: ReadonlyMap<string, string> = new Map([
  ['properties', 'object'],
  ['required', 'object'],
  ['additionalProperties', 'object'],
  ['patternProperties', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
]);

/** Options for reading a schema. */
export interface ReadOptions {
  /** True if the type is for arguments that callers write. */
  readonly isInput: boolean;
  /** The prefix of the names of its types, as words. */
  readonly prefix: readonly string[];
  readonly names: TypeNames;
  /** Shared by all schemas of a file. */
  readonly budget: Budget;
}

/** A schema as a type, with the named types that it needs. */
export interface SchemaTypes {
  readonly type: TypeNode;
  readonly named: readonly NamedType[];
}

/** The types that a schema declares, or those implied by its keywords. */
function typeNames(schema: Schema): readonly unknown[] {
  const type = own(schema, 'type');
  if (type !== undefined) return Array.isArray(type) ? type : [type];
  const implied = [...IMPLIED].find(([keyword]) => Object.hasOwn(schema, keyword));
  return implied === undefined ? [] : [implied[1]];
}

function branchesOf(schema: Schema, keyword: string): readonly unknown[] | undefined {
  const branches = own(schema, keyword);
  return Array.isArray(branches) && branches.length > 0 ? branches : undefined;
}

function noteOf(schema: Schema): string | undefined {
  const left = INEXPRESSIBLE.filter((keyword) => Object.hasOwn(schema, keyword));
  return left.length === 0 ? undefined : `not in the type: ${left.join(', ')}`;
}

function lastStep(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** Reads one schema, and the parts that it refers to. */
class SchemaReader implements Reading {
  readonly #root: unknown;
  readonly #options: ReadOptions;
  #left = MAX_PARTS;
  /** The named types, by the part of the schema that they represent. */
  readonly #named = new Map<object, NamedType>();
  /** Parts that are still to be read. A queue, because a chain of references may be long. */
  readonly #waiting: [part: object, type: NamedType][] = [];

  constructor(root: unknown, options: ReadOptions) {
    this.#root = root;
    this.#options = options;
  }

  get isInput(): boolean {
    return this.#options.isInput;
  }

  /** The schema as a type, with the types that it refers to. */
  readAll(): SchemaTypes {
    const root = this.#root;
    const type = this.read(root, 0);
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      next[1].type = this.read(next[0], 0);
    const whole = isObject(root) ? this.#named.get(root) : undefined;
    const named = [...this.#named.values()];
    if (whole === undefined) return { type, named };
    whole.type = type;
    return { type: { kind: 'name', named: whole }, named };
  }

  read(schema: unknown, depth: number, isPart = false): TypeNode {
    if (schema === true) return unknownType();
    if (schema === false) return NEVER;
    if (!isObject(schema)) return unknownType('not a schema');
    if (!this.spend(1)) return unknownType(TOO_LARGE);
    return depth > MAX_DEPTH ? unknownType('nested too deeply') : this.#objectSchemaType(schema, depth, isPart);
  }

  spend(count: number): boolean {
    const { budget } = this.#options;
    if (this.#left < count || budget.left < count) return false;
    this.#left -= count;
    budget.left -= count;
    return true;
  }

  #referenceType(reference: string, depth: number): TypeNode {
    const { names, prefix } = this.#options;
    const root = this.#root;
    const part = reference === '#' ? root : resolveReference(root, reference);
    if (typeof part === 'boolean') return this.read(part, depth);
    if (!isObject(part)) {
      const why = reference.startsWith('#') ? 'names nothing in this schema' : 'leads out of this schema';
      return unknownType(`the reference ${commentText(reference, 100)} ${why}`);
    }
    let type = this.#named.get(part);
    if (type === undefined) {
      const name = names.claim(...prefix, part === root ? '' : lastStep(reference));
      type = { name, comment: describe(part), type: unknownType() };
      this.#named.set(part, type);
      if (part !== root) this.#waiting.push([part, type]);
    }
    return { kind: 'name', named: type };
  }

  #namedType(name: unknown, schema: Schema, depth: number, isPart: boolean): TypeNode {
    switch (name) {
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
        return word(name);
      case 'integer':
        return word('number');
      case 'array':
        return arrayType(schema, this, depth);
      case 'object':
        return objectType(schema, this, depth, isPart);
      default:
        return unknownType(`JSON Schema has no type ${commentText(JSON.stringify(name), 60)}`);
    }
  }

  /** The type of the schema's own keywords; undefined if they do not restrict the type. */
  #ownType(schema: Schema, depth: number, isPart: boolean): TypeNode | undefined {
    if (Object.hasOwn(schema, 'const')) return literalType(schema['const'], this);
    const values = own(schema, 'enum');
    if (Array.isArray(values)) return choiceType(values, this);
    const types = typeNames(schema);
    return types.length === 0 ? undefined : unionOf(types.map((name) => this.#namedType(name, schema, depth, isPart)));
  }

  #branchTypes(branches: readonly unknown[], depth: number, isPart: boolean): TypeNode[] {
    if (branches.length > MAX_BRANCHES) return [unknownType(`more than ${MAX_BRANCHES} branches`)];
    return branches.map((branch) => this.read(branch, depth + 1, isPart));
  }

  #objectSchemaType(schema: Schema, depth: number, isGivenPart: boolean): TypeNode {
    const reference = own(schema, '$ref');
    const unions = ['anyOf', 'oneOf']
      .map((keyword) => branchesOf(schema, keyword))
      .filter((each) => each !== undefined);
    const all = branchesOf(schema, 'allOf') ?? [];
    const hasOwn = Object.hasOwn(schema, 'const') || Object.hasOwn(schema, 'enum') || typeNames(schema).length > 0;
    const count = Number(typeof reference === 'string') + unions.length + all.length + Number(hasOwn);
    const isPart = isGivenPart || count > 1;
    const parts: TypeNode[] = [];
    const itself = this.#ownType(schema, depth, isPart);
    if (itself !== undefined) parts.push(itself);
    if (typeof reference === 'string') parts.push(this.#referenceType(reference, depth));
    parts.push(...unions.map((branches) => unionOf(this.#branchTypes(branches, depth, isPart))));
    parts.push(...this.#branchTypes(all, depth, isPart));
    const whole = withNote(intersectionOf(parts), noteOf(schema));
    // A keyword of OpenAPI that many servers use.
    return own(schema, 'nullable') === true ? unionOf([whole, word('null')]) : whole;
  }
}

/**
 * Reads a schema of a server as a type. Parts that a type cannot express are left out with a note, or become `unknown` with the reason.
 * Takes time proportional to the budget, whatever the schema contains.
 */
export function readSchema(root: unknown, options: ReadOptions): SchemaTypes {
  return new SchemaReader(root, options).readAll();
}
