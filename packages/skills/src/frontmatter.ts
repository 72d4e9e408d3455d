import type { JsonObject } from 'tenon';
import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { shown } from '@tenon/values/hidden';

/** The maximum length of frontmatter, in characters. */
const MAX_LENGTH = 64 * 1024;
const MAX_DEPTH = 32;
/** The maximum number of values after the expansion of aliases, which can be nested. */
const MAX_VALUES = 10_000;

/** The two parts of a `SKILL.md`. */
export interface SkillText {
  /** The frontmatter, as JSON. */
  readonly frontmatter: JsonObject;
  /** The instructions, which follow the frontmatter. */
  readonly instructions: string;
}

/** A byte order mark, the line that opens the frontmatter, its YAML, and the line that closes it. */
const PARTS = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/;

/** Splits a `SKILL.md` into its parts. Throws a `TypeError` with the problem if it is invalid. */
export function readSkillText(text: string): SkillText {
  const parts = PARTS.exec(text.slice(0, MAX_LENGTH));
  if (parts === null) {
    throw new TypeError(
      `it must begin with frontmatter: YAML between two lines '---', of at most ${MAX_LENGTH} characters`,
    );
  }
  return { frontmatter: parseFrontmatter(parts[1]!), instructions: text.slice(parts[0].length) };
}

/** Why this is not the frontmatter of a skill; undefined if it is (Agent Skills, "Frontmatter"). */
export function frontmatterProblem({ description, compatibility, metadata }: JsonObject): string | undefined {
  if (typeof description !== 'string' || description.trim() === '') return 'it needs a `description`';
  if (description.length > 1_024) return 'its `description` has more than 1,024 characters';
  if (compatibility !== undefined && (typeof compatibility !== 'string' || compatibility.length > 500))
    return 'its `compatibility` must be a text of at most 500 characters';
  if (metadata === undefined) return undefined;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return 'its `metadata` must have names and values';
  const reserved = Object.keys(metadata).find((key) => key.startsWith('io.modelcontextprotocol/'));
  return reserved === undefined ? undefined : `the key '${reserved}' of its \`metadata\` is reserved by the protocol`;
}

function parseFrontmatter(yaml: string): JsonObject {
  // Duplicate names are found below, because the check of the library takes quadratic time.
  const document = parseDocument(yaml, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) throw new TypeError(`its frontmatter is not YAML: ${shown(error.message, 200)}`);
  const data = new Reader().read(document.contents, 0);
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new TypeError('its frontmatter must have names and values');
  return data as JsonObject;
}

/**
 * Converts YAML to JSON. Throws for values that JSON cannot represent, so that an entry and its file never count as equal when they differ.
 */
class Reader {
  /** The values of aliases. The library would search the whole document for each of them. */
  readonly #anchors = new Map<string, unknown>();
  #values = 0;

  read(node: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH) throw new TypeError(`its frontmatter has more than ${MAX_DEPTH} levels`);
    if (++this.#values > MAX_VALUES) throw new TypeError(`its frontmatter has more than ${MAX_VALUES} values`);
    if (isAlias(node)) {
      if (!this.#anchors.has(node.source))
        throw new TypeError(`its frontmatter has no anchor for the alias *${shown(node.source, 60)}`);
      return this.read(this.#anchors.get(node.source), depth + 1);
    }
    if ((isSeq(node) || isMap(node) || isScalar(node)) && node.anchor !== undefined)
      this.#anchors.set(node.anchor, node);
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1));
    if (isScalar(node)) return scalarOf(node.value);
    if (!isMap(node)) return null;
    const members = new Map<string, unknown>();
    for (const { key, value } of node.items) {
      const name = nameOf(key);
      if (members.has(name)) throw new TypeError(`its frontmatter has the name '${shown(name, 60)}' twice`);
      members.set(name, this.read(value, depth + 1));
    }
    return Object.fromEntries(members);
  }
}

function nameOf(key: unknown): string {
  if (!isScalar(key)) throw new TypeError('a name in its frontmatter is not a plain text');
  return String(key.value ?? '');
}

function scalarOf(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`a value in its frontmatter cannot be written as JSON: ${shown(String(value), 60)}`);
}
