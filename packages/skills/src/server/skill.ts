import { type Context, DefinitionError, type JsonObject } from 'tenon';
import { canonicalJson } from '@tenon/values/canonical-json';
import { shown } from '@tenon/values/hidden';
import { decodeUtf8 } from '@tenon/values/utf8';
import { stringify } from 'yaml';
import { type Frontmatter, isSkillName, MAX_BYTES, MAX_FILES, SKILL_FILE } from '../entry.ts';
import { frontmatterProblem, readSkillText } from '../frontmatter.ts';

/** The files of a skill by their path, with `/` between its parts. Texts are written as UTF-8. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Options of a skill. */
export interface SkillOptions {
  /** Its location: names with `/` between them, such as `acme/billing`. Default: none, so that its URI begins with its own name. */
  readonly under?: string;
}

/** A skill that a server publishes: a plain value, for `skills`. */
export interface Skill {
  /** Always `skill`. */
  readonly kind: 'skill';
  /** The URI of its `SKILL.md`. */
  readonly uri: string;
  /** The frontmatter of its `SKILL.md`. */
  readonly frontmatter: Frontmatter;
  /** @internal The files by path; a function if they are generated for each request. */
  readonly files: ReadonlyMap<string, Uint8Array> | ((ctx: Context) => Promise<ReadonlyMap<string, Uint8Array>>);
}

/**
 * Makes a skill from its files, one of which is `SKILL.md`. Throws a `DefinitionError` if the skill is invalid, or has more than 512 files
 * or 16 MiB, which clients need not accept.
 *
 * @example
 * ```ts
 * import { skill, skills } from '@tenon/skills';
 * import { server } from 'tenon';
 *
 * const refunds = skill({
 *   'SKILL.md': '---\nname: refunds\ndescription: Refund a customer\n---\nAnswer with the text of examples/email.md.',
 *   'examples/email.md': 'Dear customer …',
 * });
 * const app = server({ name: 'billing', providers: [skills([refunds])] });
 * ```
 */
export function skill(files: Files, options: SkillOptions = {}): Skill {
  return defined(() => {
    const read = checkedFiles(files);
    const text = decodeUtf8(read.get(SKILL_FILE)!);
    if (text === undefined) throw new TypeError(`${SKILL_FILE} is not UTF-8`);
    const { frontmatter } = readSkillText(text);
    return { ...described(frontmatter, options), files: read };
  });
}

/**
 * Makes a skill whose files are generated for each request, so that clients can only check its frontmatter, and some do not load it.
 * `files` returns `SKILL.md` without frontmatter, which is added.
 *
 * @example
 * ```ts
 * import { dynamicSkill, skills } from '@tenon/skills';
 * import { server } from 'tenon';
 *
 * const today = dynamicSkill({ name: 'today', description: 'What to watch out for today' }, () => ({
 *   'SKILL.md': `It is ${new Date().toDateString()}.`,
 * }));
 * const app = server({ name: 'reports', providers: [skills([today])] });
 * ```
 */
export function dynamicSkill(
  frontmatter: Frontmatter,
  files: (ctx: Context) => Files | Promise<Files>,
  options: SkillOptions = {},
): Skill {
  return defined(() => {
    if (typeof files !== 'function') throw new TypeError('`files` must be a function that returns them');
    const head = `---\n${stringify(frontmatter)}---\n`;
    const written = readSkillText(head).frontmatter;
    if (canonicalJson(written) !== canonicalJson(frontmatter)) throw new TypeError('its frontmatter must be JSON');
    return {
      ...described(written, options),
      async files(ctx) {
        const made = await files(ctx);
        const body = made[SKILL_FILE];
        return checkedFiles(typeof body === 'string' ? { ...made, [SKILL_FILE]: head + body } : made);
      },
    };
  });
}

function defined(make: () => Skill): Skill {
  try {
    return make();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DefinitionError('invalid-definition', `The skill cannot be used: ${reason}`, cause);
  }
}

function described(frontmatter: JsonObject, { under }: SkillOptions): Pick<Skill, 'kind' | 'uri' | 'frontmatter'> {
  const { name } = frontmatter;
  if (!isSkillName(name)) {
    throw new TypeError(
      `its \`name\` must have 1 to 64 lowercase letters, digits and single hyphens inside, not '${shown(name, 70)}'`,
    );
  }
  const problem = frontmatterProblem(frontmatter);
  if (problem !== undefined) throw new TypeError(`${name}: ${problem}`);
  const path = under === undefined ? [name] : [...checkedPlace(under), name];
  return { kind: 'skill', uri: `skill://${path.join('/')}/${SKILL_FILE}`, frontmatter: frontmatter as Frontmatter };
}

function checkedPlace(under: string): string[] {
  const parts = under.split('/');
  if (parts.some((part) => !/^[\w.~-]{1,255}$/.test(part) || /^\.+$/.test(part)))
    throw new TypeError(`\`under\` is made of letters, digits and "_-.~", with / between names, not '${shown(under)}'`);
  return parts;
}

/** The bytes of the files. Throws if a client need not accept them. */
function checkedFiles(files: Files): ReadonlyMap<string, Uint8Array> {
  const given = Object.entries(files);
  if (given.length > MAX_FILES) throw new TypeError(`it has ${given.length} files, and may have ${MAX_FILES}`);
  if (typeof files[SKILL_FILE] !== 'string' && !(files[SKILL_FILE] instanceof Uint8Array))
    throw new TypeError(`it has no ${SKILL_FILE}`);
  const encoder = new TextEncoder();
  const read = new Map<string, Uint8Array>();
  let total = 0;
  for (const [path, content] of given) {
    checkPath(path);
    const bytes = typeof content === 'string' ? encoder.encode(content) : content;
    if (!(bytes instanceof Uint8Array)) throw new TypeError(`${shown(path)} is neither text nor bytes`);
    total += bytes.length;
    read.set(path, bytes);
  }
  if (total > MAX_BYTES) throw new TypeError(`it has ${total} bytes, and may have ${MAX_BYTES}`);
  for (const path of read.keys()) {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      if (read.has(path.slice(0, at))) throw new TypeError(`${shown(path)} lies in a file`);
  }
  return read;
}

function checkPath(path: string): void {
  const isPlain = path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isPlain || path.length > 1_000 || /[\\\p{Cc}\p{Cs}]/u.test(path))
    throw new TypeError(`'${shown(path)}' is not a file path: names with / between them, without . and ..`);
}
