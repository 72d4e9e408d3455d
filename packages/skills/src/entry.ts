/** The identifier of the extension. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

/** The name of the file that makes a directory a skill. */
export const SKILL_FILE = 'SKILL.md';

/** The limits of one skill that every host accepts ("Limits"). */
export const MAX_FILES = 512;
export const MAX_BYTES = 16 * 1024 * 1024;

/** The frontmatter of a skill: every field that its author wrote. */
export interface Frontmatter {
  /** The name: a label, not an identity. Other skills may have the same. */
  readonly name: string;
  /** What the skill does, and when to use it. */
  readonly description: string;
  readonly [field: string]: unknown;
}

/** A file of a skill. */
export interface SkillFile {
  /** The URI with which it is read. */
  readonly uri: string;
  /** The SHA-256 digest of its bytes: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Its size in bytes. */
  readonly size: number;
}

/** The description of a skill by its server. */
export interface SkillEntry {
  /** The URI of its `SKILL.md`, which identifies it on its server. */
  readonly uri: string;
  /** The frontmatter of its `SKILL.md`. */
  readonly frontmatter: Frontmatter;
  /** All its files, or `dynamic` if they are generated for each request. */
  readonly resources: readonly SkillFile[] | 'dynamic';
}

/** 1 to 64 lowercase letters, digits and single hyphens inside (Agent Skills, "name"). */
const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** Is this the name of a skill? */
export function isSkillName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name);
}

/** The URI of the directory of a skill, without a slash at its end. */
export function rootOf(uri: string): string {
  return uri.slice(0, -SKILL_FILE.length - 1);
}

/** The path of a file in its skill, as it is written in texts: URIs have escapes. */
export function pathOf(uri: string, root: string): string {
  const encoded = uri.slice(root.length + 1);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
